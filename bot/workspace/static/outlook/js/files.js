// Files: one folder of the drive, and the file that is looked at.

import { button, el, replace } from "/static/js/dom.js";
import { download, look } from "./api.js";
import { external, icon, sizeOf, whenShort } from "./parts.js";
import { personNamed, state } from "./state.js";

export async function showFiles(view, moves) {
  const folder = await look("files", { at: state.at });
  const opened = [...folder.items, ...folder.shared].find((file) => file.id === state.file);
  replace(view, el("div", { class: opened ? "files has-file" : "files" },
    el("section", { class: "files-main" }, crumbs(folder, moves), table(folder.items, moves, "This folder is empty."),
      folder.shared.length ? [el("h2", {}, "Shared with you"), table(folder.shared, moves, "")] : null),
    opened ? panel(opened, moves) : null));
}

function crumbs(folder, moves) {
  const steps = [{ id: "", name: `Files of ${personNamed(state.box).display_name}` }, ...folder.crumbs];
  return el("h1", { class: "crumbs" }, steps.map((step, index) => (index === steps.length - 1
    ? el("span", {}, step.name)
    : [button(step.name, { onclick: () => moves.go({ at: step.id, file: "" }) }), icon("forward", 16)])));
}

function table(items, moves, silence) {
  if (!items.length) return el("p", { class: "empty" }, silence);
  return el("table", {},
    el("thead", {}, el("tr", {}, ["Name", "Modified", "Modified by", "Size", "Sharing"].map((name) => el("th", {}, name)))),
    el("tbody", {}, items.map((item) => el("tr", { class: item.id === state.file ? "is-open" : "" },
      el("td", {}, button(item.name, {
        class: "file-name",
        onclick: () => moves.go(item.is_folder ? { at: item.id, file: "" } : { file: item.id }),
      }, icon(item.is_folder ? "folder" : "file", 20), item.name)),
      el("td", {}, whenShort(item.at)),
      el("td", {}, item.by),
      el("td", {}, item.is_folder ? "" : sizeOf(item.size)),
      el("td", {}, item.shares.length ? [icon("people", 16), item.owner === state.box ? " Shared" : ` From ${item.owner_name}`] : "Private")))));
}

function panel(file, moves) {
  return el("aside", { class: "file-panel", "aria-label": file.name },
    button("Close", { class: "step", onclick: () => moves.go({ file: "" }) }, icon("close")),
    el("h2", {}, file.name),
    el("p", { class: "quiet" }, `${sizeOf(file.size)}, version ${file.version}`),
    button("Download", { class: "action", onclick: () => download("file", { owner: file.owner, file: file.id }, file.name) }, icon("down", 17), "Download"),
    el("h3", {}, "Who has access"),
    el("ul", { class: "shares" }, el("li", {}, file.owner_name, el("small", {}, "owner")),
      file.shares.map((share) => el("li", {}, share.who, el("small", {}, share.role), share.is_external ? external() : null))),
    file.preview ? [el("h3", {}, "Preview"), el("pre", {}, file.preview)] : null);
}
