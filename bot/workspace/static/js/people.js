// How members look: initials on a colour of their own, and the app's seal.

import { el, svg } from "./dom.js";
import { memberOf, state } from "./state.js";

const COLOURS = ["#2f7fb5", "#b0572c", "#7b57a6", "#4b8a3f", "#b23b63", "#3c7d84", "#8a6d1f"];

// By the order in which people are listed, so that neighbours differ.
function colourOf(id) {
  const at = [...state.people.keys()].indexOf(id);
  return COLOURS[(at + COLOURS.length) % COLOURS.length];
}

function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.map((word) => [...word][0]).join("").toUpperCase() || "?";
}

export function seal(size) {
  return svg(
    "svg",
    { viewBox: "0 0 32 32", width: size, height: size, class: "seal", "aria-hidden": "true" },
    svg("path", { d: "M7 17.5l5 5L25 9.5", class: "seal-tick" }),
    svg("path", { d: "M13.5 25h11", class: "seal-line" }),
  );
}

export function avatar(id, size = 36) {
  const member = memberOf(id);
  const measures = { width: `${size}px`, height: `${size}px`, fontSize: `${size * 0.4}px` };
  if (id === state.app.id) {
    return el("span", { class: "avatar is-app", style: measures }, seal(size));
  }
  return el(
    "span",
    { class: "avatar", style: { ...measures, background: colourOf(id) }, "aria-hidden": "true" },
    initials(member.real_name),
  );
}

export function badge(id) {
  if (id === state.app.id) return el("span", { class: "app-badge" }, "APP");
  if (memberOf(id).is_guest) return el("span", { class: "app-badge" }, "GUEST");
  return null;
}
