// The box one writes in: Enter sends, files attach, commands run.

import { ask, Trouble, upload } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { size } from "./files.js";
import { channelOf, state } from "./state.js";
import { suggestions } from "./suggest.js";

const REASONS = {
  no_text: "There is nothing to send.",
  not_in_channel: "You are not in this channel.",
  thread_not_found: "This thread is gone.",
};

// spot: {channel: () => id, thread: () => ts or "", placeholder, onSent(ts, text)}
export function composer(spot) {
  const area = el("textarea", { class: "composer-text", rows: 1, placeholder: spot.placeholder, "aria-label": spot.placeholder });
  const list = el("div", { class: "suggestion-place" });
  const attached = el("div", { class: "attached" });
  const notice = el("div", { class: "composer-notice", role: "alert" });
  const send = button("Send now", { class: "send-button", disabled: true }, icon("send", 17));
  const chooser = el("input", { type: "file", multiple: true, class: "visually-hidden", tabindex: -1, "aria-hidden": "true" });
  const parts = { area, attached, notice, send, files: [], spot };
  const changed = () => fit(parts);
  const suggest = suggestions(area, list, () => channelOf(spot.channel()), changed);
  const box = el("div", { class: "composer" }, list,
    el("div", { class: "composer-box" }, area, attached,
      el("div", { class: "composer-bar" },
        button("Attach a file", { class: "icon-button", onclick: () => chooser.click() }, icon("plus", 18)),
        button("Mention somebody", { class: "icon-button is-text", onclick: () => mention(area, suggest, changed) }, "@"),
        chooser, el("span", { class: "composer-hint" }, "Enter sends · Shift + Enter for a new line"), send)), notice);
  listen(parts, box, suggest, chooser, changed);
  return {
    node: box,
    focus: () => area.focus(),
    put: (text) => {
      area.value = text;
      changed();
      area.focus();
      area.setSelectionRange(text.length, text.length);
    },
    text: () => area.value,
  };
}

function listen(parts, box, suggest, chooser, changed) {
  const { area, send } = parts;
  area.addEventListener("input", () => {
    changed();
    suggest.update();
  });
  area.addEventListener("click", suggest.update);
  area.addEventListener("blur", () => suggest.close());
  area.addEventListener("keydown", (event) => {
    if (suggest.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      sendNow(parts);
    }
  });
  send.addEventListener("click", () => sendNow(parts));
  chooser.addEventListener("change", () => {
    attach(parts, chooser.files);
    chooser.value = "";
  });
  box.addEventListener("dragover", (event) => event.preventDefault());
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    attach(parts, event.dataTransfer.files);
  });
}

function fit({ area, send, files, notice }) {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, 220)}px`;
  send.disabled = !area.value.trim() && !files.length;
  if (area.value) notice.textContent = "";
}

function mention(area, suggest, changed) {
  const caret = area.selectionStart;
  const gap = caret && !/\s$/.test(area.value.slice(0, caret)) ? " @" : "@";
  area.setRangeText(gap, caret, area.selectionEnd, "end");
  area.focus();
  changed();
  suggest.update();
}

function attach(parts, files) {
  parts.files.push(...files);
  showFiles(parts);
}

function showFiles(parts) {
  replace(parts.attached, ...parts.files.map((file) => el("span", { class: "attached-file" },
    icon("file", 16), el("span", {}, file.name), el("small", {}, size(file.size)),
    button(`Remove ${file.name}`, {
      class: "icon-button is-small",
      onclick: () => {
        parts.files.splice(parts.files.indexOf(file), 1);
        showFiles(parts);
      },
    }, icon("close", 13)))));
  fit(parts);
}

async function sendNow(parts) {
  const { area, notice, spot } = parts;
  const text = area.value.trim();
  const files = parts.files;
  if (!text && !files.length) return;
  const command = /^(\/[\w-]+)(?:\s+([\s\S]*))?$/.exec(text);
  if (command && !files.length) {
    await runCommand(parts, command[1], command[2] || "");
    return;
  }
  empty(parts);
  try {
    const kept = [];
    for (const file of files) kept.push((await upload(file)).file);
    const { ts } = await ask("say", { channel: spot.channel(), thread_ts: spot.thread(), text, files: kept });
    spot.onSent(ts, text);
  } catch (error) {
    area.value ||= text;
    parts.files = files;
    showFiles(parts);
    notice.textContent = sentence(error);
  }
}

function empty(parts) {
  parts.area.value = "";
  parts.files = [];
  showFiles(parts);
}

async function runCommand(parts, name, text) {
  const { area, notice, spot } = parts;
  if (!state.app.commands.includes(name)) {
    notice.textContent = `${name} is not a valid command. Known here: ${state.app.commands.join(", ")}.`;
    return;
  }
  if (spot.thread()) {
    notice.textContent = `${name} cannot be used in a thread. Write “@${state.app.name} ${name.slice(1)}” here, or use it in the channel.`;
    return;
  }
  const before = area.value;
  empty(parts);
  try {
    await ask("command", { channel: spot.channel(), name, text });
  } catch (error) {
    area.value = before;
    notice.textContent = sentence(error);
  }
}

function sentence(error) {
  if (error instanceof Trouble) return REASONS[error.code] || `This was not sent (${error.code}).`;
  return "This was not sent: the workspace does not answer.";
}
