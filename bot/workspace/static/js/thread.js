// The pane on the right: one thread, with its status and its reply box.

import { composer } from "./composer.js";
import { button, el, icon, replace } from "./dom.js";
import { isGrouped, messageRow } from "./message.js";
import { digest, keepRows, stayAtEnd, toEnd } from "./rows.js";
import { channelOf, isWithApp, nameOf, state } from "./state.js";
import { statusLine } from "./status.js";

const pane = () => document.getElementById("thread");
let built = "";
let parts = null;

export function showThread(close) {
  const thread = state.thread;
  pane().hidden = !thread;
  document.getElementById("frame").classList.toggle("has-thread", Boolean(thread));
  if (!thread) {
    built = "";
    replace(pane());
    return;
  }
  const wanted = `${state.me} ${thread.channel} ${thread.ts}`;
  if (wanted !== built) build(thread, close);
  built = wanted;
  fill(thread);
}

function build(thread, close) {
  const area = el("div", { class: "scroller", tabindex: 0, "aria-label": "Replies" });
  const list = el("div", { class: "rows" });
  const foot = el("div", { class: "thread-foot" });
  area.append(list, foot);
  const channel = channelOf(thread.channel);
  const box = composer({
    channel: () => thread.channel,
    thread: () => thread.ts,
    placeholder: invitation(channel),
    onSent: () => toEnd(area),
  });
  parts = { area, list, foot, status: "", composer: box, isFresh: true };
  stayAtEnd(area, list, foot);
  replace(pane(),
    el("div", { class: "pane-head" },
      el("h1", {}, "Thread"),
      el("span", { class: "topic" }, channel?.kind === "im" ? nameOf(channel) : `# ${channel?.name}`),
      button("Close the thread", { class: "icon-button", onclick: close }, icon("close"))),
    area, box.node);
  box.focus();
}

export function isReplying() {
  return Boolean(state.thread && parts?.composer.text().trim());
}

// In a channel the app answers only what mentions it, also in a thread.
function invitation(channel) {
  const isHeard = !channel?.members.includes(state.app.id) || isWithApp(channel);
  return isHeard ? "Reply…" : `Reply… mention @${state.app.name} to ask on`;
}

function fill(thread) {
  const [root, ...replies] = thread.messages;
  const rows = [row(root, undefined, thread)];
  const count = replies.filter((reply) => !reply.is_ephemeral).length;
  if (count) {
    const words = `${count} ${count === 1 ? "reply" : "replies"}`;
    rows.push({ key: "count", version: words, draw: () => el("div", { class: "reply-count" }, el("span", {}, words)) });
  }
  replies.forEach((reply, index) => rows.push(row(reply, replies[index - 1], thread)));
  keepRows(parts.list, rows);
  const status = digest(thread.status);
  if (status !== parts.status) {
    replace(parts.foot, thread.status ? statusLine(thread.status, thread.channel, thread.ts) : null);
  }
  parts.status = status;
  if (parts.isFresh) toEnd(parts.area);
  parts.isFresh = false;
}

function row(message, before, thread) {
  const grouped = isGrouped(message, before);
  return {
    key: message.ts,
    version: digest([message, grouped]),
    draw: () => messageRow(message, { channel: thread.channel, inThread: true, isGrouped: grouped }),
  };
}
