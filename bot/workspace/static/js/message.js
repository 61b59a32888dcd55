// One message, as it stands in a channel or in a thread.

import { ask } from "./api.js";
import { renderAll } from "./blocks.js";
import { button, el, icon, replace } from "./dom.js";
import { fileCard } from "./files.js";
import { insideLine } from "./inside.js";
import { emoji } from "./mentions.js";
import { mrkdwn, unescape } from "./mrkdwn.js";
import { menu } from "./overlay.js";
import { avatar, badge } from "./people.js";
import { memberOf, state } from "./state.js";
import { statusWords } from "./status.js";
import { ago, clock, exact, hour } from "./time.js";

const QUICK = ["+1", "eyes", "white_check_mark", "tada", "x"];
const GROUP_SECONDS = 300;

export function isGrouped(message, before) {
  if (!before || before.user !== message.user || before.is_ephemeral || message.is_ephemeral) return false;
  if (before.subtype === "tombstone" || message.reply_count || before.reply_count) return false;
  return Number.parseFloat(message.ts) - Number.parseFloat(before.ts) < GROUP_SECONDS;
}

// place: {channel, inThread, isGrouped, status?, openThread?}
export function messageRow(message, place) {
  if (message.subtype === "tombstone") return tombstone(message, place);
  const body = el("div", { class: "message-body" }, content(message, place));
  const kind = ["message", place.isGrouped ? "is-grouped" : "", message.is_ephemeral ? "is-ephemeral" : ""];
  const row = el("article", {
    class: kind.filter(Boolean).join(" "),
    "aria-label": `${memberOf(message.user).real_name}, ${clock(message.ts)}`,
    data: { ts: message.ts },
  },
  place.isGrouped ? el("time", { class: "gutter-time", title: exact(message.ts) }, hour(message.ts)) : avatar(message.user),
  el("div", { class: "message-main" },
    message.is_ephemeral
      ? el("div", { class: "only-you" }, icon("eye", 14), "Only visible to you") : null,
    place.isGrouped ? null : head(message), body, foot(message, place)));
  if (!message.is_ephemeral) row.append(tools(message, place, body));
  row.addEventListener("toggle", (event) => { event.target.dataset.touched = "yes"; }, true);
  return row;
}

function head(message) {
  const member = memberOf(message.user);
  return el("div", { class: "message-head" },
    el("span", { class: "author" }, member.real_name), badge(message.user),
    el("time", { title: exact(message.ts) }, clock(message.ts)));
}

function content(message, place) {
  const context = {
    act: (block, one, value) => ask("click", {
      ts: message.ts, channel: place.channel, block_id: block.block_id, action_id: one.action_id, value,
    }),
  };
  const words = message.blocks?.length
    ? renderAll(message.blocks, context) : [el("div", { class: "section-text" }, mrkdwn(message.text || ""))];
  // The app's messages change while it works; only people's are marked, behind their last word.
  if (message.edited && !message.bot_id) {
    const last = words.at(-1).lastElementChild;
    const line = last?.matches(".rich-section, p") ? last : words.at(-1);
    line.append(el("span", { class: "edited" }, "(edited)"));
  }
  return [
    words,
    message.streaming_state ? el("span", { class: "caret-mark", "aria-label": "still writing" }) : null,
    (message.files || []).map(fileCard),
  ];
}

function tombstone(message, place) {
  return el("article", { class: "message is-gone", data: { ts: message.ts } },
    el("span", { class: "avatar is-gone" }, icon("trash", 16)),
    el("div", { class: "message-main" }, el("div", { class: "muted" }, message.text), foot(message, place)));
}

function foot(message, place) {
  return [
    insideLine(message, place),
    message.reactions?.length ? reactions(message, place) : null,
    place.openThread && (message.reply_count || place.status) ? threadLine(message, place) : null,
  ];
}

function reactions(message, place) {
  return el("div", { class: "reactions" }, message.reactions.map((reaction) => {
    const names = reaction.users.map((id) => memberOf(id).real_name).join(", ");
    return button(`${names} reacted with ${reaction.name}`, {
      class: reaction.users.includes(state.me) ? "reaction is-mine" : "reaction",
      onclick: () => ask("react", { channel: place.channel, ts: message.ts, name: reaction.name }),
    }, emoji(reaction.name), " ", String(reaction.count));
  }));
}

function threadLine(message, place) {
  const count = message.reply_count || 0;
  const open = () => place.openThread(message.ts);
  return button("View thread", { class: "thread-line", onclick: open },
    el("span", { class: "thread-faces" }, (message.reply_users || []).slice(0, 4).map((id) => avatar(id, 24))),
    count ? el("span", { class: "thread-count" }, `${count} ${count === 1 ? "reply" : "replies"}`) : null,
    place.status
      ? el("span", { class: "thread-status" }, statusWords(place.status))
      : el("span", { class: "muted" }, `Last reply ${ago(message.latest_reply)}`));
}

function tools(message, place, body) {
  const isMine = message.user === state.me;
  const react = (event) => menu(event.currentTarget, QUICK.map((name) => ({
    label: `${emoji(name)}  :${name}:`,
    pick: () => ask("react", { channel: place.channel, ts: message.ts, name }),
  })));
  return el("div", { class: "message-tools", role: "group", "aria-label": "Message actions" },
    button("React", { class: "icon-button", onclick: react }, icon("smile", 17)),
    place.openThread
      ? button("Reply in thread", { class: "icon-button", onclick: () => place.openThread(message.ts) }, icon("thread", 17))
      : null,
    isMine ? button("Edit", { class: "icon-button", onclick: () => edit(message, place, body) }, icon("edit", 17)) : null,
    isMine ? button("Delete", {
      class: "icon-button", onclick: () => ask("delete", { channel: place.channel, ts: message.ts }),
    }, icon("trash", 17)) : null);
}

// What the person typed, out of what Slack keeps.
export function typedOf(text) {
  return unescape(
    text
      .replace(/<@([UW]\w+)>/g, (_, id) => `@${memberOf(id).real_name}`)
      .replace(/<#C\w+\|([^>]*)>/g, "#$1")
      .replace(/<!(here|channel|everyone)>/g, "@$1")
      .replace(/<(https?:[^|>]+)(?:\|[^>]*)?>/g, "$1"),
  );
}

function edit(message, place, body) {
  const area = el("textarea", { class: "field", rows: 3, "aria-label": "Edit message" });
  area.value = typedOf(message.text);
  const back = () => replace(body, ...content(message, place));
  const save = async () => {
    const text = area.value.trim();
    if (text) await ask("edit", { channel: place.channel, ts: message.ts, text });
    else back();
  };
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      save();
    }
  });
  replace(body, area, el("div", { class: "actions" },
    button("Cancel", { class: "button", onclick: back }),
    button("Save", { class: "button is-primary", onclick: save })));
  area.focus();
}
