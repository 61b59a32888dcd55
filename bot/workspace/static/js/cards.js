// Blocks that frame other things: alert, card, carousel, container, plan, tasks, account link.

import { el, icon } from "./dom.js";
import { element } from "./elements.js";
import { link } from "./links.js";
import { richText } from "./rich_text.js";
import { textObject } from "./text_object.js";

const LEVELS = { info: "ℹ︎", warning: "⚠︎", error: "✕", success: "✓", default: "•" };
const TASKS = { pending: "○", in_progress: "", complete: "✓", error: "✕" };

export function alert(block) {
  const level = block.level || "default";
  return el("div", { class: `alert is-${level}`, role: "note" },
    el("span", { class: "alert-mark", "aria-hidden": "true" }, LEVELS[level] || LEVELS.default),
    el("div", {}, textObject(block.text)));
}

export function card(block, context) {
  return el("div", { class: "card" },
    block.title ? el("div", { class: "card-title" }, textObject(block.title)) : null,
    block.subtitle ? el("div", { class: "card-subtitle" }, textObject(block.subtitle)) : null,
    block.body ? el("div", { class: "card-body" }, textObject(block.body)) : null,
    block.actions
      ? el("div", { class: "actions" }, block.actions.map((one) => element(one, block, context)))
      : null);
}

export function carousel(block, context) {
  return el("div", { class: "carousel", tabindex: 0 }, block.elements.map((one) => card({ ...one, block_id: block.block_id }, context)));
}

export function container(block, context, render) {
  const title = block.rich_text_title
    ? richText(block.rich_text_title)
    : el("strong", {}, block.title ? textObject(block.title) : "");
  const head = [title, block.subtitle ? el("div", { class: "card-subtitle" }, textObject(block.subtitle)) : null];
  const inner = el("div", { class: "container-body" }, block.child_blocks.map((one) => render(one, context)));
  if (!block.is_collapsible) return el("section", { class: "container" }, head, inner);
  return el("details", { class: "container", open: !block.default_collapsed }, el("summary", {}, head), inner);
}

export function task(block) {
  const sources = block.sources || [];
  const more = [
    block.details ? richText(block.details) : null,
    block.output ? richText(block.output) : null,
    sources.length ? el("div", { class: "sources" }, sources.map((s) => link(s.url, [s.text || s.url]))) : null,
  ].filter(Boolean);
  const head = [
    el("span", { class: `task-mark is-${block.status}`, "aria-label": block.status }, TASKS[block.status]),
    el("span", {}, block.title),
  ];
  if (!more.length) return el("div", { class: "task" }, el("div", { class: "task-head" }, head));
  return el("details", { class: "task" }, el("summary", { class: "task-head" }, head), el("div", { class: "task-more" }, more));
}

export function plan(block) {
  const tasks = block.tasks || [];
  const done = tasks.filter((one) => one.status === "complete").length;
  return el("details", { class: "plan", open: done < tasks.length },
    el("summary", {}, el("strong", {}, block.title || "Steps"),
      tasks.length ? el("span", { class: "muted" }, ` ${done} of ${tasks.length}`) : null),
    el("div", {}, tasks.map(task)));
}

export function provider(block, context) {
  const connect = {
    type: "button", style: "primary", action_id: `auth_provider_connect_${block.value}`,
    text: { type: "plain_text", text: block.is_connected ? "Disconnect" : "Connect" },
    url: block.is_connected ? block.disconnect_url : block.auth_url,
  };
  return el("div", { class: "card is-provider" },
    icon("shield", 22),
    el("div", {},
      el("div", { class: "card-title" }, textObject(block.name)),
      el("div", { class: "card-body" }, block.is_connected && block.connected_identity
        ? textObject(block.connected_identity) : block.description ? textObject(block.description) : "")),
    element(connect, block, context));
}
