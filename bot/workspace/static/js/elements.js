// What can be clicked or filled in inside a block.

import { button, el, icon } from "./dom.js";
import { confirmed, menu } from "./overlay.js";
import { follow } from "./links.js";
import { input } from "./inputs.js";
import { plainOf, textObject } from "./text_object.js";
import { state } from "./state.js";

// Runs what a click starts; the button shows that it works, and that it failed.
async function run(node, work) {
  node.disabled = true;
  node.classList.add("is-busy");
  node.classList.remove("has-failed");
  try {
    const answer = await work();
    if (answer && (answer.status < 200 || answer.status >= 300)) throw new Error("no answer");
  } catch {
    node.classList.add("has-failed");
    node.title = "This did not reach the app. Try again?";
  } finally {
    node.disabled = false;
    node.classList.remove("is-busy");
  }
}

async function use(node, one, block, context, value) {
  if (one.confirm && !(await confirmed(one.confirm))) return;
  if (one.url) follow(one.url);
  await run(node, () => context.act(block, one, value));
}

function isHidden(one) {
  return one.visible_to_user_ids?.length && !one.visible_to_user_ids.includes(state.me);
}

export function element(one, block, context) {
  if (isHidden(one)) return null;
  switch (one.type) {
    case "button":
      return plainButton(one, block, context);
    case "icon_button":
      return iconButton(one, block, context);
    case "feedback_buttons":
      return feedback(one, block, context);
    case "overflow":
      return overflow(one, block, context);
    case "image":
      return el("span", { class: "image-mark", title: one.alt_text }, one.alt_text);
    default:
      return input(one, block, {
        ...context,
        onpick: async (value, node) => {
          if (one.confirm && !(await confirmed(one.confirm))) return;
          await run(node, () => context.act(block, one, value));
        },
      });
  }
}

function plainButton(one, block, context) {
  const label = one.accessibility_label || plainOf(one.text);
  const kind = one.style === "primary" ? "button is-primary" : one.style === "danger" ? "button is-danger" : "button";
  return button(label, {
    class: kind,
    data: { action: one.action_id },
    onclick: (event) => use(event.currentTarget, one, block, context, one.value),
  }, textObject(one.text), one.url ? el("span", { "aria-hidden": "true" }, " ↗") : null);
}

function iconButton(one, block, context) {
  return button(plainOf(one.text), {
    class: "button is-icon",
    data: { action: one.action_id },
    onclick: (event) => use(event.currentTarget, one, block, context, one.value),
  }, icon(one.icon === "trash" ? "trash" : "dots"));
}

function feedback(one, block, context) {
  const side = (name, mark) => {
    const picked = one[`${name}_button`];
    return button(picked.accessibility_label || plainOf(picked.text), {
      class: "button is-icon",
      data: { action: one.action_id },
      onclick: (event) => use(event.currentTarget, one, block, context, name),
    }, mark);
  };
  return el("span", { class: "feedback" }, side("positive", icon("thumbUp", 16)), side("negative", icon("thumbDown", 16)));
}

function overflow(one, block, context) {
  return button("More", {
    class: "button is-icon",
    data: { action: one.action_id },
    onclick: (event) => {
      const node = event.currentTarget;
      menu(node, one.options.map((option) => ({
        label: plainOf(option.text),
        pick: () => use(node, { ...one, url: option.url }, block, context, option.value),
      })));
    },
  }, icon("dots"));
}
