// The middle of the page: a channel or a direct message, with its composer.

import { ask } from "./api.js";
import { composer } from "./composer.js";
import { button, el, icon, replace } from "./dom.js";
import { homeTab } from "./home.js";
import { isGrouped, messageRow } from "./message.js";
import { avatar, badge } from "./people.js";
import { digest, keepRows, stayAtEnd, toEnd } from "./rows.js";
import { channelOf, isWithApp, memberOf, nameOf, state } from "./state.js";
import { dayOf } from "./time.js";

const pane = () => document.getElementById("conversation");
let built = ""; // which channel and tab the pane was last built for
let parts = null;
let goes = null;

// moves: {openThread(ts), setTab(name), sent(ts, text)}
export function showConversation(moves) {
  goes = moves;
  const channel = channelOf(state.channel);
  if (!channel) return replace(pane(), el("div", { class: "empty" }, "You are in no channel yet."));
  const wanted = `${state.me} ${channel.id} ${state.tab}`;
  if (wanted !== built) build(channel);
  built = wanted;
  if (state.tab === "messages") fill(channel);
  return undefined;
}

export function composeHere(text) {
  parts?.composer.put(text);
}

function build(channel) {
  const area = el("div", { class: "scroller", tabindex: 0, "aria-label": "Messages" });
  const list = el("div", { class: "rows" });
  const intro = el("div", { class: "intro" });
  area.append(el("div", { class: "spring" }), intro, list);
  const name = channel.kind === "im" ? nameOf(channel) : `#${channel.name}`;
  const box = composer({
    channel: () => channel.id,
    thread: () => "",
    placeholder: `Message ${name}`,
    onSent: (ts, text) => goes.sent(ts, text),
  });
  parts = { area, list, intro, composer: box, isFresh: true };
  stayAtEnd(area, intro, list);
  const body = state.tab === "home" ? [homeTab()] : [area, box.node];
  replace(pane(), head(channel), isWithApp(channel) && state.app.has_home ? tabs() : null, ...body);
  if (state.tab === "messages") box.focus();
}

function head(channel) {
  const isDirect = channel.kind === "im";
  const mark = isDirect ? avatar(channel.other, 24) : icon(channel.kind === "private" ? "lock" : "hash", 18);
  return el("div", { class: "pane-head" },
    el("h1", {}, mark, el("span", {}, nameOf(channel)), isDirect ? badge(channel.other) : null),
    el("span", { class: "topic" }, isDirect ? memberOf(channel.other).title : channel.topic),
    isDirect ? null : el("span", { class: "member-count", title: channel.members.map((id) => memberOf(id).real_name).join(", ") },
      channel.members.slice(0, 3).map((id) => avatar(id, 20)), String(channel.members.length)));
}

function tabs() {
  return el("div", { class: "tabs", role: "tablist" }, [["messages", "Messages"], ["home", "Home"]].map(([name, label]) =>
    button(label, {
      role: "tab", class: state.tab === name ? "tab is-on" : "tab",
      "aria-selected": state.tab === name ? "true" : "false", onclick: () => goes.setTab(name),
    })));
}

function fill(channel) {
  const { messages, statuses } = state.conversation;
  replace(parts.intro, ...introduction(channel, messages));
  keepRows(parts.list, rowsOf(channel, messages, statuses));
  if (parts.isFresh) toEnd(parts.area);
  parts.isFresh = false;
}

function rowsOf(channel, messages, statuses) {
  const rows = [];
  let day = "";
  messages.forEach((message, index) => {
    const today = dayOf(message.ts);
    if (today !== day) {
      rows.push({ key: `day ${today}`, version: today, draw: () => el("div", { class: "day" }, el("span", {}, today)) });
    }
    const place = {
      channel: channel.id,
      isGrouped: today === day && isGrouped(message, messages[index - 1]),
      status: statuses[message.ts],
      openThread: (ts) => goes.openThread(ts),
    };
    day = today;
    rows.push({
      key: message.ts,
      version: digest([message, place.isGrouped, place.status]),
      draw: () => messageRow(message, place),
    });
  });
  return rows;
}

function introduction(channel, messages) {
  const isDirect = isWithApp(channel);
  const title = channel.kind === "im"
    ? [avatar(channel.other, 44), el("h2", {}, nameOf(channel))]
    : [el("h2", {}, channel.kind === "private" ? icon("lock", 24) : "#", ` ${channel.name}`)];
  const words = channel.kind === "im"
    ? `This is the beginning of your direct messages with ${nameOf(channel)}.`
    : `This is the very beginning of #${channel.name}. ${channel.topic ? `${channel.topic}.` : ""}`;
  const hasApp = channel.members.includes(state.app.id);
  const isNew = !messages.some((message) => message.user === state.me);
  return [
    el("div", { class: "intro-title" }, title), el("p", {}, words),
    hasApp && isNew ? hints(isDirect) : null,
  ];
}

function hints(isDirect) {
  const start = isDirect ? "" : `@${state.app.name} `;
  const asked = state.conversation.prompts?.prompts?.map((prompt) => [prompt.title, prompt.message])
    || state.hints.map((hint) => [hint, hint]);
  return el("div", { class: "hints" },
    el("div", { class: "hints-title" }, avatar(state.app.id, 20),
      isDirect ? "Ask something, for example:" : `Ask ${state.app.name} something, for example:`),
    asked.map(([title, message]) =>
      button(title, { class: "hint", onclick: () => parts.composer.put(start + message) })));
}

export function markRead() {
  const channel = channelOf(state.channel);
  if (channel?.unread && document.visibilityState === "visible") ask("read", { channel: channel.id });
}
