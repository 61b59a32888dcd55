// The app's modals: shows the topmost one, collects its fields, sends it.

import { ask } from "./api.js";
import { renderAll } from "./blocks.js";
import { button, el } from "./dom.js";
import { dialog } from "./overlay.js";
import { plainOf } from "./text_object.js";

let open = null; // {view, hash, shown, fields}

export async function refreshModal() {
  const { view } = await ask("modal");
  if (open && view && open.view.id === view.id && open.view.hash === view.hash) return;
  const typed = open && view && open.view.id === view.id ? valuesOf(open.fields) : {};
  open?.shown.close();
  open = view ? show(view, typed) : null;
}

function show(view, typed) {
  const fields = [];
  const trouble = el("div", { class: "form-error", role: "alert" });
  const context = {
    collect: (block, one, read, node) => {
      const before = typed[block.block_id]?.[one.action_id];
      if (typeof before === "string" && "value" in node) node.value = before;
      fields.push({ block, one, read, node });
    },
    act: (block, one, value) =>
      ask("act", { view: view.id, block_id: block.block_id, action_id: one.action_id, value, values: valuesOf(fields) }),
  };
  const send = button(plainOf(view.submit) || "Submit", { class: "button is-primary" });
  send.addEventListener("click", () => submit(view, fields, send, trouble));
  const leave = () => ask("close", { view: view.id });
  const shown = dialog({
    title: plainOf(view.title),
    body: [renderAll(view.blocks, modalContext(context)), trouble],
    foot: [
      button(plainOf(view.close) || "Cancel", { class: "button", onclick: leave }),
      view.submit ? send : null,
    ],
    leave,
  });
  return { view, shown, fields };
}

// Input blocks are collected; whatever else is clickable acts at once.
function modalContext(context) {
  return { act: context.act, collect: context.collect };
}

function valuesOf(fields) {
  const values = {};
  for (const { block, one, read } of fields) {
    values[block.block_id] = { ...values[block.block_id], [one.action_id]: read() };
  }
  return values;
}

function mark(fields, errors) {
  for (const { block, node } of fields) {
    const spot = node.closest(".form-field")?.querySelector(".form-error");
    if (spot) spot.textContent = errors[block.block_id] || "";
  }
}

function missing(fields) {
  const errors = {};
  for (const { block, read } of fields) {
    const value = read();
    const isEmpty = value === null || value === "" || (Array.isArray(value) && !value.length);
    if (block.type === "input" && !block.optional && isEmpty) errors[block.block_id] = "Please fill this in.";
  }
  return errors;
}

async function submit(view, fields, send, trouble) {
  const errors = missing(fields);
  mark(fields, errors);
  if (Object.keys(errors).length) return;
  send.disabled = true;
  trouble.textContent = "";
  try {
    const answer = await ask("submit", { view: view.id, values: valuesOf(fields) });
    if (answer.errors) mark(fields, answer.errors);
    if (answer.trouble) trouble.textContent = answer.trouble;
  } catch {
    trouble.textContent = "We had some trouble connecting. Try again?";
  } finally {
    send.disabled = false;
  }
}
