// The left side: rooms on the rail, then channels and people.

import { ask } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { avatar } from "./people.js";
import { isWithApp, memberOf, nameOf, state } from "./state.js";

// rooms: one tile each; a room for another platform is one entry more.
const ROOMS = [{ key: "slack", label: "Slack" }];

export function showRail() {
  replace(document.getElementById("rail"), ROOMS.map((room) =>
    el("div", { class: "room is-on", title: room.label },
      el("span", { class: "room-mark", "aria-hidden": "true" }, state.team.name[0] || "S"),
      el("span", { class: "room-label" }, room.label))),
  button("The same product in Microsoft Teams", { class: "room is-way", onclick: () => location.assign("/teams") },
    el("span", { class: "room-mark" }, icon("message", 20)),
    el("span", { class: "room-label" }, "Teams")),
  button("Mailboxes, calendars and files", { class: "room is-way", onclick: () => location.assign("/outlook") },
    el("span", { class: "room-mark" }, icon("letter", 20)),
    el("span", { class: "room-label" }, "Mail")));
}

export function showSidebar(go) {
  const named = state.channels.filter((channel) => channel.kind !== "im");
  const direct = state.channels.filter((channel) => channel.kind === "im");
  const apps = direct.filter(isWithApp);
  const people = [...state.people.values()].filter((p) => !p.is_bot && p.id !== state.me);
  replace(document.getElementById("sidebar"),
    el("div", { class: "sidebar-head" }, el("span", {}, state.team.name)),
    group("Channels", named.map((channel) =>
      place(channel, icon(channel.kind === "private" ? "lock" : "hash", 16), go))),
    group("Direct messages", people.map((person) => {
      const channel = direct.find((one) => one.other === person.id);
      if (channel) return place(channel, avatar(person.id, 20), go);
      return button(person.real_name, {
        class: "place",
        onclick: async () => go((await ask("open", { other: person.id })).channel),
      }, avatar(person.id, 20), el("span", { class: "place-name" }, person.real_name), guest(person));
    })),
    group("Apps", apps.map((channel) => place(channel, avatar(channel.other, 20), go))));
}

function group(title, rows) {
  return el("section", { class: "places" }, el("h2", {}, title), rows);
}

function place(channel, lead, go) {
  const isOpen = channel.id === state.channel;
  const isBold = channel.unread && !isOpen;
  return button(nameOf(channel), {
    class: ["place", isOpen ? "is-open" : "", isBold ? "is-unread" : ""].join(" "),
    "aria-current": isOpen ? "page" : null,
    data: { place: channel.id },
    onclick: () => go(channel.id),
  }, lead, el("span", { class: "place-name" }, nameOf(channel)),
  isBold ? el("span", { class: channel.is_loud ? "unread is-loud" : "unread", "aria-label": `${channel.unread} unread` }, String(channel.unread)) : null,
  channel.kind === "im" ? guest(memberOf(channel.other)) : null);
}

function guest(person) {
  return person.is_guest ? el("small", {}, "guest") : null;
}
