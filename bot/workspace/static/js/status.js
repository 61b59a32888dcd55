// The line that says that the app is working, with its rotating messages.

import { ask } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { avatar } from "./people.js";
import { state } from "./state.js";

const TURN = 2_400;

function sentence(text) {
  return `${state.app.name} ${text}`;
}

// A node that turns its words while it is on the page.
export function statusWords(status) {
  const words = [sentence(status.text), ...status.loading_messages];
  const node = el("span", { class: "status-words" }, words[0]);
  let at = 0;
  const timer = setInterval(() => {
    if (!node.isConnected) return clearInterval(timer);
    at = (at + 1) % words.length;
    replace(node, words[at]);
    return undefined;
  }, TURN);
  return node;
}

export function statusLine(status, channel, ts) {
  return el("div", { class: "status-line", role: "status" },
    avatar(state.app.id, 24),
    el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")),
    statusWords(status),
    state.app.can_stop
      ? button("Stop", { class: "button is-small", onclick: () => ask("stop", { channel, ts }) }, icon("stop", 13), " Stop")
      : null);
}
