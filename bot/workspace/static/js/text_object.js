// Slack's text objects, plain and with mark-up.

import { withEmoji } from "./mentions.js";
import { mrkdwn } from "./mrkdwn.js";
import { el } from "./dom.js";

export function textObject(text) {
  if (typeof text === "string") return withEmoji(text);
  if (text.type === "mrkdwn") return mrkdwn(text.text);
  return withEmoji(text.text).split("\n").flatMap((line, index) => (index ? [el("br"), line] : [line]));
}

export function plainOf(text) {
  return typeof text === "string" ? text : text?.text ?? "";
}
