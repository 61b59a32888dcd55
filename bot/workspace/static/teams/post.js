// One message: who wrote it, its words with sources to hover over, its cards, its labels.

import { button, el, icon } from "../js/dom.js";
import { markdown } from "../js/markdown.js";
import { avatar } from "../js/people.js";
import { memberOf, state } from "../js/state.js";
import { card, fileCard } from "./card.js";

// `hands` does what people do: press(activity, action, values), rate(activity, reaction, text),
// take(activity, yes), stop(). `own` is the card that this person alone sees in place of the first one; `told`, what
// the last click was answered with.
export function post(activity, hands, { own, told } = {}) {
  const isBot = activity.by === "bot";
  const isMine = activity.by === state.me;
  const cards = (activity.attachments || []).filter((one) => /card\.(adaptive|oauth)$/.test(one.contentType));
  return el("article", {
    class: ["post", isMine ? "is-mine" : "", isBot ? "is-bot" : ""].join(" "),
    data: { activity: activity.id },
  },
  avatar(activity.by, 32),
  el("div", { class: "post-main" },
    el("header", { class: "post-head" },
      el("strong", {}, isBot ? state.app.name : memberOf(activity.by).real_name),
      el("time", {}, clock(activity.id)),
      activity.edits ? el("span", { class: "muted" }, "Edited") : null,
      activity.only ? el("span", { class: "post-private" }, icon("eye", 13), "Only you can see this message") : null,
      labels(activity)),
    words(activity),
    (activity.files || []).map((name) => el("p", { class: "post-file" }, icon("clip", 14), name)),
    cards.map((one, at) => card(own && at === 0 ? own : one.content, (action, values) => hands.press(activity, action, values))),
    (activity.attachments || []).filter((one) => one.contentType?.includes(".card.file."))
      .map((one) => fileCard(one, (yes) => hands.take(activity, yes))),
    told ? el("p", { class: "told", role: "status" }, told) : null,
    activity.is_streaming ? button("Stop", { class: "button is-small", onclick: hands.stop }, icon("stop", 12), "Stop") : null,
    activity.channelData?.feedbackLoop ? thumbs(activity, hands) : null));
}

function clock(id) {
  return new Date(Number(id)).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
}

function roles(activity) {
  return (activity.entities || []).filter((one) => one.type === "https://schema.org/Message");
}

function labels(activity) {
  const [role] = roles(activity);
  if (!role) return null;
  const found = [];
  if (role.additionalType?.includes("AIGeneratedContent")) found.push(el("span", { class: "ai-label" }, "AI generated"));
  const usage = role.usageInfo;
  if (usage) found.push(el("span", { class: "sensitivity", title: usage.description || "", "aria-label": `Sensitivity: ${usage.name}` }, icon("shield", 13), usage.name));
  return found;
}

function words(activity) {
  const text = (activity.text || "").replace(/<at>(.*?)<\/at>/g, "**@$1**");
  if (!text) return null;
  const body = el("div", { class: "post-text" }, activity.by === "bot" ? markdown(text) : el("p", {}, text.replaceAll("**", "")));
  if (activity.is_streaming) body.append(el("span", { class: "stream-mark", "aria-label": "writing" }));
  const claims = roles(activity).flatMap((role) => role.citation || []);
  if (claims.length) cite(body, new Map(claims.map((claim) => [String(claim.position), claim.appearance])));
  return body;
}

// A mark such as [1] becomes a chip that tells its source.
function cite(node, sources) {
  for (const child of [...node.childNodes]) {
    if (child.nodeType === Node.ELEMENT_NODE) cite(child, sources);
    else if (child.nodeType === Node.TEXT_NODE) citeText(child, sources);
  }
}

function citeText(node, sources) {
  const parts = node.textContent.split(/\[(\d{1,2})\]/);
  if (parts.length < 3) return;
  node.replaceWith(...parts.map((part, at) => {
    const source = at % 2 ? sources.get(part) : null;
    if (!source) return at % 2 ? `[${part}]` : part;
    return el("span", { class: "citation", tabindex: 0, "aria-label": `Source ${part}: ${source.name}` }, part,
      el("span", { class: "citation-card", role: "tooltip" }, el("strong", {}, source.name), el("span", {}, source.abstract)));
  }));
}

function thumbs(activity, hands) {
  const row = el("div", { class: "thumbs" });
  for (const [reaction, name, sign] of [["like", "Like", "thumbUp"], ["dislike", "Dislike", "thumbDown"]]) {
    row.append(button(name, { class: "icon-button is-small", onclick: () => row.replaceWith(dialog(activity, reaction, hands)) }, icon(sign, 14)));
  }
  return row;
}

function dialog(activity, reaction, hands) {
  const words = el("textarea", { rows: 2, "aria-label": "What did you think?", placeholder: "What did you think? (optional)" });
  const box = el("div", { class: "thumbs is-open" }, words);
  box.append(button("Submit", {
    class: "button is-small is-primary",
    onclick: async () => {
      await hands.rate(activity, reaction, words.value);
      box.replaceChildren("Thank you for your feedback.");
    },
  }));
  return box;
}
