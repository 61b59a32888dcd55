// Mail: folders, the list of a folder, the mail that is read.

import { button, el, replace } from "/static/js/dom.js";
import { download, look } from "./api.js";
import { avatar, bodyOf, external, icon, sizeOf, whenLong, whenShort } from "./parts.js";
import { personNamed, state } from "./state.js";

const MARKS = {
  inbox: "inbox", drafts: "drafts", outbox: "clock", sentitems: "sent", deleteditems: "trash", outside: "outside",
};
const SILENCE = {
  inbox: "Nothing here yet.",
  drafts: "No drafts.",
  outbox: "Nothing waits to be sent.",
  sentitems: "Nothing has been sent.",
  deleteditems: "Nothing was deleted.",
  outside: "Nothing has left the company.",
};

export async function showMail(view, moves) {
  const { mails } = await look("mails", { folder: state.folder });
  const known = mails.some((row) => row.id === state.mail);
  const opened = known ? await look("mail", { mail: state.mail }) : null;
  const scrolled = view.querySelector(".list-rows")?.scrollTop || 0;
  replace(view, el("div", { class: "mail" }, folders(moves), list(mails, moves), reading(opened)));
  view.querySelector(".list-rows").scrollTop = scrolled;
}

function folders(moves) {
  const boxes = state.frame.boxes.map((box) => el("section", { class: "box" },
    el("h2", {}, box.is_shared ? icon("people", 15) : null, box.display_name),
    box.name === state.box
      ? state.frame.folders
        .filter((folder) => folder.name !== "outbox" || folder.total)
        .map((folder) => row(folder.name, folder.title, count(folder), moves))
      : button(`Open ${box.display_name}`, {
        class: "folder", onclick: () => moves.go({ box: box.name, folder: "inbox", mail: "" }),
      }, icon("inbox"), el("span", {}, "Open"))));
  return el("nav", { class: "folders", "aria-label": "Folders" }, boxes,
    el("section", { class: "box" }, el("h2", {}, "Beyond the company"),
      row("outside", "Outside world", state.frame.outside || "", moves)));
}

function count(folder) {
  if (folder.name === "inbox") return folder.unread || "";
  return ["drafts", "outbox"].includes(folder.name) ? folder.total || "" : "";
}

function row(name, title, number, moves) {
  const isOpen = name === state.folder;
  return button(number ? `${title}, ${number}` : title, {
    class: isOpen ? "folder is-open" : "folder",
    "aria-current": isOpen ? "true" : null,
    onclick: () => moves.go({ folder: name, mail: "" }),
  }, icon(MARKS[name]), el("span", {}, title), number ? el("b", {}, number) : null);
}

function list(mails, moves) {
  const title = state.folder === "outside"
    ? "Outside world"
    : state.frame.folders.find((folder) => folder.name === state.folder).title;
  return el("section", { class: "list", "aria-label": title },
    el("header", { class: "list-head" }, el("h1", {}, title),
      el("small", {}, state.folder === "outside" ? "What left for other companies" : personNamed(state.box).upn)),
    el("div", { class: "list-rows" },
      mails.length ? mails.map((mail) => mailRow(mail, moves)) : el("p", { class: "empty" }, SILENCE[state.folder])));
}

function mailRow(mail, moves) {
  const kinds = ["row", mail.is_read ? "" : "is-unread", mail.id === state.mail ? "is-open" : ""];
  return button(`${mail.who}: ${mail.subject}`, {
    class: kinds.filter(Boolean).join(" "),
    data: { mail: mail.id },
    onclick: () => moves.go({ mail: mail.id }),
  }, avatar(mail.who || "?", 34),
  el("span", { class: "row-words" },
    el("span", { class: "row-top" }, el("span", { class: "row-who" }, mail.is_own ? `To: ${mail.who || "nobody yet"}` : mail.who),
      mail.has_files ? icon("clip", 14) : null,
      el("time", { datetime: mail.at }, whenShort(mail.at))),
    el("span", { class: "row-subject" },
      el("span", {}, mail.is_draft ? el("em", {}, state.folder === "outbox" ? "[Sending] " : "[Draft] ") : null,
        mail.subject || "(no subject)"), mail.is_external ? external() : null),
    el("span", { class: "row-preview" }, mail.preview)));
}

function reading(mail) {
  if (!mail) {
    return el("section", { class: "reading is-empty", "aria-label": "Reading pane" }, icon("mail", 54), el("p", {}, "Select a mail to read it."));
  }
  return el("section", { class: "reading", "aria-label": "Reading pane" },
    el("h1", {}, mail.subject || "(no subject)",
      mail.is_draft ? el("span", { class: "tag" }, "Draft, not sent") : null,
      mail.importance === "high" ? el("span", { class: "tag is-high" }, "High importance") : null),
    el("article", { class: "letter" },
      el("header", {}, avatar(mail.from.name, 44), el("div", { class: "letter-who" }, sender(mail),
        people("To", mail.to), people("Cc", mail.cc), people("Bcc", mail.bcc)),
      el("time", { datetime: mail.at }, whenLong(mail.at))),
      mail.from.is_external ? el("p", { class: "warning" }, "This sender is outside the company.") : null,
      mail.files.length ? el("ul", { class: "clips" }, mail.files.map((file) => clip(mail, file))) : null,
      bodyOf(mail.body)));
}

function sender(mail) {
  const isFor = mail.sender.address !== mail.from.address;
  return el("p", { class: "letter-from" }, el("b", {}, mail.from.name), el("span", {}, `<${mail.from.address}>`),
    isFor ? el("span", {}, `sent by ${mail.sender.name}`) : null, mail.from.is_external ? external() : null);
}

function people(label, found) {
  if (!found.length) return null;
  return el("p", { class: "letter-to" }, el("span", { class: "label" }, `${label}:`), found.map((one) => el("span", {
    class: one.is_external ? "one is-external" : "one", title: one.address,
  }, one.name === one.address ? one.address : `${one.name} <${one.address}>`)));
}

function clip(mail, file) {
  const open = () => (file.url
    ? window.open(file.url, "_blank", "noopener")
    : download("attachment", { mail: mail.id, file: file.id }, file.name));
  return el("li", {}, button(`Download ${file.name}`, { class: "clip", onclick: open },
    icon("file", 20), el("span", {}, file.name, el("small", {}, file.url ? "Link" : sizeOf(file.size)))));
}
