// Chats and channels of Teams, and the one that is read.

import { button, el, replace } from "/static/js/dom.js";
import { look } from "./api.js";
import { avatar, bodyOf, icon, whenShort } from "./parts.js";
import { state } from "./state.js";

export async function showChats(view, moves) {
  const { chats } = await look("chats");
  if (!chats.some((chat) => chat.id === state.chat)) state.chat = chats[0]?.id || "";
  const opened = state.chat ? await look("chat", { chat: state.chat }) : null;
  replace(view, el("div", { class: "chats" },
    el("nav", { class: "chat-list", "aria-label": "Chats" }, el("h1", {}, "Chats"), chats.map((chat) => row(chat, moves)),
      chats.length ? null : el("p", { class: "empty" }, "No chats.")),
    opened ? talk(opened) : null));
  const lines = view.querySelector(".talk-lines");
  if (lines) lines.scrollTop = lines.scrollHeight;
}

function row(chat, moves) {
  return button(chat.title, {
    class: chat.id === state.chat ? "chat is-open" : "chat", onclick: () => moves.go({ chat: chat.id }),
  }, chat.is_channel ? el("span", { class: "channel-mark" }, icon("people")) : avatar(chat.title, 34),
  el("span", { class: "row-words" }, el("span", { class: "row-who" }, chat.title),
    el("span", { class: "row-preview" }, chat.last || chat.team)));
}

function talk(chat) {
  return el("section", { class: "talk", "aria-label": chat.title }, el("h2", {}, chat.title),
    el("div", { class: "talk-lines" },
      chat.messages.length ? null : el("p", { class: "empty" }, "Nobody has written here."),
      chat.messages.map((message) => el("article", {
        class: ["line", message.is_me ? "is-me" : "", message.is_reply ? "is-reply" : ""].filter(Boolean).join(" "),
      }, message.is_me ? null : avatar(message.who, 30),
      el("div", { class: "bubble" }, el("header", {}, el("b", {}, message.who), el("time", {}, whenShort(message.at))), bodyOf(message.body))))));
}
