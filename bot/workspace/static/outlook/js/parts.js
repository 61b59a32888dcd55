// Small things that every view uses: avatars, icons, times, sizes, bodies.

import { el, svg } from "/static/js/dom.js";

const COLOURS = ["#2f7fb5", "#b0572c", "#7b57a6", "#4b8a3f", "#b23b63", "#3c7d84", "#8a6d1f", "#5b6ea8"];
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const ICONS = {
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  back: "M14 6l-6 6 6 6",
  bubble: "M4 5h16v11H11l-5 4v-4H4z",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  caret: "M7 10l5 5 5-5",
  clip: "M20 11.5l-8.2 8.2a5 5 0 0 1-7-7L13 4.4a3.3 3.3 0 0 1 4.7 4.7l-8.2 8.2a1.7 1.7 0 0 1-2.4-2.4l7.5-7.5",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  close: "M6 6l12 12M18 6L6 18",
  down: "M12 4v11M7 11l5 5 5-5M5 20h14",
  drafts: "M4 20h4L19 9l-4-4L4 16z",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  folder: "M3 6h6l2 2h10v11H3z",
  forward: "M10 6l6 6-6 6",
  inbox: "M4 5h16v14H4zM4 14h5l1.5 2.5h3L15 14h5",
  mail: "M3 6h18v13H3zM3 7l9 6.5L21 7",
  outside: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3.5 6 3.5 9S15 18 12 21c-3-3-3.5-6-3.5-9S9 6 12 3",
  people: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c0-3 2.5-5 6-5s6 2 6 5M16 5.5a3 3 0 0 1 0 5.5M17.5 14.3c2.2.6 3.5 2.3 3.5 4.7",
  pin: "M12 21s6-5.7 6-11a6 6 0 1 0-12 0c0 5.300 6 11 6 11zM12 8.500a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600z",
  sent: "M4 4l17 8-17 8 3-8zM7 12h14",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  video: "M3 7h12v10H3zM15 11l6-3.500v9L15 13z",
};

export function icon(name, size = 18) {
  return svg("svg", { viewBox: "0 0 24 24", width: size, height: size, class: "icon", "aria-hidden": "true" },
    svg("path", { d: ICONS[name] }));
}

function initials(name) {
  const words = name.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.map((word) => [...word][0]).join("").toUpperCase() || "?";
}

function hueOf(name) {
  let sum = 0;
  [...name].forEach((letter, index) => { sum += letter.codePointAt(0) * (index + 3); });
  return COLOURS[sum % COLOURS.length];
}

export function avatar(name, size = 36) {
  const measures = { width: `${size}px`, height: `${size}px`, fontSize: `${size * 0.38}px`, background: hueOf(name) };
  return el("span", { class: "avatar", style: measures, "aria-hidden": "true" }, initials(name));
}

export function external() {
  return el("span", { class: "tag is-external" }, "External");
}

export function whenShort(iso) {
  const date = new Date(iso);
  const days = Math.round((midnight(new Date()) - midnight(date)) / 86_400_000);
  if (days <= 0) return date.toLocaleTimeString([], CLOCK);
  if (days < 7) return date.toLocaleDateString([], { weekday: "short", ...CLOCK });
  return date.toLocaleDateString([], { day: "numeric", month: "short" });
}

export function whenLong(iso) {
  return new Date(iso).toLocaleString([], { weekday: "short", day: "numeric", month: "long", year: "numeric", ...CLOCK });
}

function midnight(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

// A body is a text, or a tree of harmless elements that the server has made of HTML.
export function bodyOf(body) {
  if (body.tree) return el("div", { class: "body is-html" }, grown(body.tree));
  return el("div", { class: "body" }, linked(body.text));
}

function grown(node) {
  if (typeof node === "string") return node;
  const extra = node.href ? { href: node.href, target: "_blank", rel: "noreferrer noopener" } : {};
  return el(node.tag, extra, node.children.map(grown));
}

function linked(text) {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((piece, index) => (index % 2
    ? el("a", { href: piece, target: "_blank", rel: "noreferrer noopener" }, piece)
    : piece));
}
