// Things that lie over the page: small menus and dialogs.

import { button, el, icon } from "./dom.js";
import { plainOf, textObject } from "./text_object.js";

const layer = () => document.getElementById("overlays");

// items: {label, note?, pick, lead?, isOn?}
export function menu(anchor, items) {
  closeMenus();
  const before = document.activeElement;
  const list = el("div", { class: "menu", role: "menu" }, items.map((item) =>
    button(item.label, {
      class: item.isOn ? "menu-item is-on" : "menu-item",
      role: "menuitem",
      onclick: () => {
        closeMenus();
        item.pick();
      },
    }, item.lead, el("span", { class: "menu-words" }, el("span", {}, item.label),
      item.note ? el("small", {}, item.note) : null))));
  list.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      closeMenus();
      before?.focus?.();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const all = [...list.children];
      all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    }
  });
  layer().append(list);
  place(list, anchor.getBoundingClientRect());
  list.firstElementChild?.focus();
  setTimeout(() => document.addEventListener("click", outside), 0);
}

function place(list, spot) {
  const { offsetWidth: wide, offsetHeight: high } = list;
  const below = spot.bottom + 4 + high < innerHeight;
  list.style.left = `${Math.max(8, Math.min(spot.left, innerWidth - wide - 8))}px`;
  list.style.top = `${Math.max(8, below ? spot.bottom + 4 : spot.top - high - 4)}px`;
}

function outside(event) {
  if (!event.target.closest?.(".menu")) closeMenus();
}

export function closeMenus() {
  document.removeEventListener("click", outside);
  for (const list of layer().querySelectorAll(".menu")) list.remove();
}

// A dialog that keeps the focus inside; `leave` is what Escape and the cross do.
export function dialog({ title, body, foot, leave, kind = "" }) {
  const before = document.activeElement;
  const box = el("div", { class: `dialog ${kind}`, role: "dialog", "aria-modal": "true", "aria-label": title },
    el("div", { class: "dialog-head" }, el("h2", {}, title),
      button("Close", { class: "icon-button", onclick: () => leave() }, icon("close"))),
    el("div", { class: "dialog-body" }, body),
    foot?.length ? el("div", { class: "dialog-foot" }, foot) : null);
  const veil = el("div", { class: "veil" }, box);
  veil.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
    if (event.key === "Tab") keepInside(event, box);
  });
  layer().append(veil);
  const first = box.querySelector(".dialog-body input, .dialog-body textarea, .dialog-body select");
  (first || box.querySelector(".dialog-foot .is-primary, .dialog-foot .button") || box.querySelector("button")).focus();
  return {
    box,
    close: () => {
      veil.remove();
      before?.focus?.();
    },
  };
}

function keepInside(event, box) {
  const all = [...box.querySelectorAll("button, input, select, textarea, a[href]")].filter((n) => !n.disabled);
  const [first, last] = [all[0], all.at(-1)];
  if (event.shiftKey && document.activeElement === first) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && document.activeElement === last) {
    event.preventDefault();
    first.focus();
  }
}

// Slack's confirm object; resolves to whether the person went on.
export function confirmed(confirm) {
  return new Promise((resolve) => {
    const end = (answer) => () => {
      shown.close();
      resolve(answer);
    };
    const style = confirm.style === "danger" ? "button is-danger" : "button is-primary";
    const shown = dialog({
      title: plainOf(confirm.title),
      kind: "is-small",
      body: textObject(confirm.text),
      foot: [
        button(plainOf(confirm.deny), { class: "button", onclick: end(false) }),
        button(plainOf(confirm.confirm), { class: style, onclick: end(true) }),
      ],
      leave: () => end(false)(),
    });
  });
}
