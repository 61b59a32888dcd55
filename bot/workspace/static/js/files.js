// Files in a message: a card that downloads.

import { download } from "./api.js";
import { button, el, icon } from "./dom.js";

const COLOURS = { csv: "#2a7a4b", xlsx: "#2a7a4b", pdf: "#b3372f", docx: "#2b5797", png: "#6b4ea0", jpg: "#6b4ea0" };

export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} kB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

export function fileCard(file) {
  return el("div", { class: "file-card" },
    el("span", { class: "file-mark", style: { background: COLOURS[file.filetype] || "#5a6b7b" } }, icon("file", 20)),
    el("span", { class: "file-words" },
      el("span", { class: "file-name" }, file.title || file.name),
      el("span", { class: "muted" }, `${(file.filetype || "file").toUpperCase()} · ${size(file.size)}`)),
    button(`Download ${file.name}`, { class: "icon-button", onclick: () => download(file.id, file.name) }, icon("down")));
}
