// The top line and the rail: where one is, and who.

import { button, el, replace } from "/static/js/dom.js";
import { avatar, icon } from "./parts.js";
import { personNamed, state } from "./state.js";

const VIEWS = [["mail", "Mail", "mail"], ["calendar", "Calendar", "calendar"], ["files", "Files", "folder"], ["chats", "Chats", "bubble"]];
const STATES = {
  lost: "The workspace does not answer. Trying again…",
  stale: "The workspace was started anew. Reload this page.",
};

let shown = "";

// Redrawn only when it says something else, so that an open menu and the focus stay.
export function showFrame(moves) {
  const now = [state.me, state.view, state.connection].join(" ");
  if (now !== shown) {
    shown = now;
    showTopbar(moves);
    showRail(moves);
  }
  const inbox = state.frame.folders.find((folder) => folder.name === "inbox");
  const view = VIEWS.find(([name]) => name === state.view)[1];
  document.title = `${inbox.unread ? `(${inbox.unread}) ` : ""}${view}, ${personNamed(state.box).display_name}`;
}

function showTopbar(moves) {
  const me = personNamed(state.me);
  const trouble = STATES[state.connection];
  replace(document.getElementById("topbar"),
    el("div", { class: "topbar-name" }, icon("mail", 20), el("strong", {}, state.frame.company)),
    trouble
      ? el("div", { class: "note is-trouble", role: "alert" }, trouble)
      : el("div", { class: "note" }, "Local mailboxes: nothing leaves this machine"),
    el("a", { class: "to-slack", href: "/" }, "Slack workspace"),
    button(`You are ${me.display_name}. Be somebody else`, {
      class: "me", id: "me", "aria-haspopup": "menu", onclick: (event) => switcher(event.currentTarget, moves),
    }, avatar(me.display_name, 26), el("span", {}, me.display_name), icon("caret", 16)));
}

function switcher(anchor, moves) {
  const layer = document.getElementById("overlays");
  if (layer.firstChild) return layer.replaceChildren();
  const items = state.frame.people.map((person) => button(person.display_name, {
    class: person.name === state.me ? "menu-item is-on" : "menu-item", role: "menuitem",
    onclick: () => {
      layer.replaceChildren();
      moves.become(person.name);
    },
  }, avatar(person.display_name, 30), el("span", {}, person.display_name, el("small", {}, person.title))));
  const list = el("div", { class: "menu", role: "menu" }, items);
  const spot = anchor.getBoundingClientRect();
  list.style.top = `${spot.bottom + 6}px`;
  list.style.right = `${innerWidth - spot.right}px`;
  list.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      layer.replaceChildren();
      anchor.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    }
  });
  layer.replaceChildren(list);
  items[0].focus();
  setTimeout(() => document.addEventListener("click", () => layer.replaceChildren(), { once: true }), 0);
  return undefined;
}

function showRail(moves) {
  replace(document.getElementById("rail"), VIEWS.map(([name, label, mark]) => button(label, {
    class: name === state.view ? "room is-on" : "room",
    "aria-current": name === state.view ? "page" : null,
    onclick: () => moves.go({ view: name }),
  }, icon(mark, 22), el("span", {}, label))));
}
