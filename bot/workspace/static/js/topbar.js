// The top line: that this is local, and who you are.

import { button, el, icon, replace } from "./dom.js";
import { menu } from "./overlay.js";
import { avatar, seal } from "./people.js";
import { memberOf, state } from "./state.js";

const STATES = {
  live: "",
  lost: "The workspace does not answer. Trying again…",
  stale: "The workspace was started anew. Reload this page.",
};

export function showTopbar(become) {
  const me = memberOf(state.me);
  const trouble = STATES[state.connection];
  replace(document.getElementById("topbar"),
    el("div", { class: "topbar-name" }, seal(20), el("strong", {}, state.app.name)),
    trouble
      ? el("div", { class: "local-note is-trouble", role: "alert" }, trouble)
      : el("div", { class: "local-note" }, icon("lock", 13), "Local workspace: nothing leaves this machine",
        el("a", { href: "/trouble", title: "Let Slack or Microsoft 365 fail" }, "Faults")),
    button(`You are ${me.real_name}. Be somebody else`, {
      class: "me", id: "me", "aria-haspopup": "menu", onclick: (event) => switcher(event.currentTarget, become),
    }, avatar(me.id, 24), el("span", {}, me.real_name), icon("caret", 16)));
}

function switcher(anchor, become) {
  const people = [...state.people.values()].filter((person) => !person.is_bot);
  menu(anchor, people.map((person) => ({
    label: person.real_name,
    note: [person.title, person.is_admin ? "admin" : ""].filter(Boolean).join(" · "),
    lead: avatar(person.id, 30),
    isOn: person.id === state.me,
    pick: () => become(person.id),
  })));
}
