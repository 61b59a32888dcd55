// Starts the Teams page and keeps it in step with the stand-in.

import { announce, button, el, icon, replace } from "../js/dom.js";
import { menu } from "../js/overlay.js";
import { avatar, seal } from "../js/people.js";
import { memberOf, state } from "../js/state.js";
import { ask, follow } from "./api.js";
import { post } from "./post.js";

const MENTION = "@Countersign";
const room = { place: "", places: [], activities: [], isTyping: false, drawn: "" };
// activity → what I alone see of it since my last click there, until it changes for everybody:
const own = new Map(); // { shown: a card in place of its own, before }
const told = new Map(); // { shown: a sentence, before }

const at = (args = {}) => ({ person: state.me, place: room.place, ...args });
const $ = (id) => document.getElementById(id);

const hands = {
  async press(activity, action, values) {
    const answer = await ask("press", at({ activity: activity.id, action, values })).catch(() => ({}));
    own.delete(activity.id);
    told.delete(activity.id);
    const before = cardsOf(activity.id);
    if (/card\.adaptive|loginRequest/.test(answer.type)) own.set(activity.id, { shown: answer.value, before });
    else {
      const sentence = answer.value || "Something went wrong. Please try again.";
      told.set(activity.id, { shown: sentence, before });
      announce(sentence);
    }
    await look(true);
  },
  rate: (activity, reaction, text) => ask("rate", at({ activity: activity.id, reaction, text })),
  take: (activity, yes) => ask("take", at({ activity: activity.id, yes })),
  stop: () => ask("stop", at()),
};

function cardsOf(id) {
  const activity = room.activities.find((one) => one.id === id);
  return JSON.stringify(activity?.attachments || []);
}

async function become(person) {
  const seen = await ask("overview", { person });
  Object.assign(state, { me: seen.me, app: seen.app, people: new Map(seen.people.map((one) => [one.id, one])) });
  room.places = seen.places;
  own.clear();
  told.clear();
  if (!room.places.some((one) => one.key === room.place)) room.place = room.places[0].key;
  drawFrame();
  await go(room.place);
}

async function go(place) {
  room.place = place;
  room.drawn = "";
  location.hash = encodeURIComponent(place);
  drawList();
  drawHead();
  drawWriter();
  await look(true);
}

async function look(isForced = false) {
  const seen = await ask("conversation", at());
  room.activities = seen.activities;
  room.isTyping = seen.is_typing;
  const now = JSON.stringify(seen);
  if (now === room.drawn && !isForced) return;
  room.drawn = now;
  drawPosts();
  if (room.isTyping) setTimeout(() => look(), 4_500);
}

function current() {
  return room.places.find((one) => one.key === room.place);
}

function drawFrame() {
  const me = memberOf(state.me);
  replace($("bar"), el("div", { class: "bar-name" }, seal(20), el("strong", {}, "Teams")),
    el("div", { class: "bar-note" }, icon("lock", 13), "Local workspace: nothing leaves this machine"),
    button(`You are ${me.real_name}. Be somebody else`, { class: "me", id: "me", onclick: (event) => switcher(event.currentTarget) },
      avatar(me.id, 24), el("span", {}, me.real_name), icon("caret", 16)));
  replace($("ways"), [["/", "Slack", "hash"], ["", "Teams", "message"], ["/outlook", "Mail", "letter"]].map(([way, name, sign]) =>
    button(name, { class: way ? "way" : "way is-on", onclick: () => way && location.assign(way) }, icon(sign, 20), el("span", {}, name))));
}

function switcher(anchor) {
  menu(anchor, [...state.people.values()].map((person) => ({
    label: person.real_name,
    note: person.is_guest ? "guest" : person.title,
    lead: avatar(person.id, 30),
    isOn: person.id === state.me,
    pick: () => become(person.id),
  })));
}

function drawList() {
  const groups = [["Chat", ["personal", "groupChat"]], ["Channels", ["channel"]]];
  replace($("list"), groups.map(([title, kinds]) => el("section", {}, el("h2", {}, title),
    room.places.filter((one) => kinds.includes(one.kind)).map((one) => button(one.name, {
      class: one.key === room.place ? "entry is-open" : "entry",
      data: { place: one.key },
      onclick: () => go(one.key),
    }, one.kind === "personal" ? avatar("bot", 24) : icon(one.kind === "channel" ? "hash" : "message", 18), el("span", {}, one.name))))));
}

function drawHead() {
  const place = current();
  const hint = { personal: "Chat", groupChat: "Group chat", channel: "Channel" }[place.kind];
  replace($("head"), el("h1", {}, place.name), el("span", { class: "muted" }, hint));
}

function drawPosts() {
  const pane = $("posts");
  const isAtEnd = pane.scrollHeight - pane.scrollTop - pane.clientHeight < 80;
  const typed = document.activeElement?.closest?.(".card, .thumbs, .reply");
  if (typed && !own.size && !told.size && pane.contains(typed) && typed.querySelector("textarea, input")) return;
  replace(pane, room.activities.length ? null : beginning(),
    current().kind === "channel" ? threads() : room.activities.map(draw),
    room.isTyping ? el("p", { class: "typing", role: "status" }, `${state.app.name} is typing…`) : null);
  if (isAtEnd) pane.scrollTop = pane.scrollHeight;
}

function beginning() {
  const isOurs = current().kind === "personal";
  const words = isOurs ? "What did we sell per region in Q3 2026?" : `${MENTION} what did we sell per region in Q3 2026?`;
  return el("p", { class: "muted" }, "Nobody has written here. Try: ", el("em", {}, words));
}

function draw(activity) {
  return post(activity, hands, { own: seenBy(own, activity), told: seenBy(told, activity) });
}

function seenBy(map, activity) {
  const mine = map.get(activity.id);
  if (mine && mine.before !== cardsOf(activity.id)) map.delete(activity.id);
  return map.get(activity.id)?.shown;
}

function threads() {
  const roots = room.activities.filter((one) => !one.thread);
  return roots.map((root) => el("section", { class: "conversation-thread", data: { root: root.id } },
    draw(root),
    el("div", { class: "replies" }, room.activities.filter((one) => one.thread === root.id).map(draw)),
    replyBox(root.id)));
}

function replyBox(root) {
  const area = el("input", { class: "reply-text", placeholder: "Reply", "aria-label": "Reply" });
  return el("form", { class: "reply", onsubmit: (event) => { event.preventDefault(); say(area, root); } }, area);
}

function drawWriter() {
  const isChat = current().kind === "personal";
  const area = el("textarea", { class: "writer-text", rows: 2, "aria-label": "Type a message", placeholder: isChat ? "Type a message" : "Start a post" });
  if (!isChat) area.value = `${MENTION} `;
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    say(area, "");
  });
  const chooser = el("input", { type: "file", class: "chooser", multiple: true, tabindex: -1, "aria-hidden": "true" });
  const named = el("span", { class: "muted writer-files", role: "status" });
  chooser.addEventListener("change", () => named.replaceChildren([...chooser.files].map((file) => file.name).join(", ")));
  area.chooser = chooser;
  replace($("writer"), area, named, chooser,
    button("Attach files", { class: "icon-button", onclick: () => chooser.click() }, icon("clip", 18)),
    button("Send", { class: "icon-button", onclick: () => say(area, "") }, icon("send", 18)));
}

async function say(area, root) {
  const text = area.value.trim();
  if (!text || text === MENTION) return;
  const files = await contents(area.chooser);
  area.value = "";
  area.blur();
  await ask("say", at({ text, root, files }));
  if (!root) drawWriter();
  $("posts").scrollTop = $("posts").scrollHeight;
  await look();
}

// Name → bytes in base64.
async function contents(chooser) {
  const found = {};
  for (const file of chooser?.files || []) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    found[file.name] = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
  return found;
}

async function start() {
  room.place = decodeURIComponent(location.hash.slice(1));
  await become("mara");
  follow(() => look().catch(() => {}));
}

start();
