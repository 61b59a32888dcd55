// Slack's own mark-up (`mrkdwn`) as nodes.

import { el } from "./dom.js";
import { link, safeAddress } from "./links.js";
import { broadcast, channelMention, memberMention, withEmoji } from "./mentions.js";
import { dated } from "./time.js";

const INLINE = new RegExp(
  [
    "`(?<code>[^`\\n]+)`",
    "<(?<angle>[^<>\\n]+)>",
    "(?<![\\w*])\\*(?<strong>[^*\\s](?:[^*\\n]*[^*\\s])?)\\*(?![\\w*])",
    "(?<![\\w_])_(?<em>[^_\\s](?:[^_\\n]*[^_\\s])?)_(?![\\w_])",
    "(?<![\\w~])~(?<s>[^~\\s](?:[^~\\n]*[^~\\s])?)~(?![\\w~])",
  ].join("|"),
  "gu",
);

export function unescape(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function angle(inner) {
  const [target, label = ""] = splitOnce(inner, "|");
  if (target.startsWith("@")) return memberMention(target.slice(1));
  if (target.startsWith("#")) return channelMention(target.slice(1), unescape(label));
  if (/^!(here|channel|everyone)$/.test(target)) return broadcast(target.slice(1));
  const date = /^!date\^(\d{1,12})\^([^^]*)/.exec(target);
  if (date) return document.createTextNode(dated(date[1], unescape(date[2])));
  if (target.startsWith("!")) return document.createTextNode(unescape(label || target));
  const address = unescape(target);
  if (!label && !safeAddress(address)) return document.createTextNode(`<${unescape(inner)}>`);
  return link(address, label ? [unescape(label)] : []);
}

function splitOnce(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

export function inline(text) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const { code, angle: inner, strong, em, s } = found.groups;
    if (found.index > at) nodes.push(...words(text.slice(at, found.index)));
    at = found.index + found[0].length;
    if (code !== undefined) nodes.push(el("code", {}, unescape(code)));
    else if (inner !== undefined) nodes.push(angle(inner));
    else if (strong !== undefined) nodes.push(el("strong", {}, inline(strong)));
    else if (em !== undefined) nodes.push(el("em", {}, inline(em)));
    else nodes.push(el("s", {}, inline(s)));
  }
  if (at < text.length) nodes.push(...words(text.slice(at)));
  return nodes;
}

function words(text) {
  return unescape(withEmoji(text))
    .split("\n")
    .flatMap((line, index) => (index ? [el("br"), line] : [line]));
}

// Paragraphs, quotes and fenced code.
export function mrkdwn(text) {
  return text.split(/```\n?([\s\S]*?)\n?```/).flatMap((piece, index) => {
    if (index % 2) return [el("pre", { class: "code" }, unescape(piece))];
    return quotes(piece.replace(/^\n+|\n+$/g, ""));
  });
}

function quotes(text) {
  const nodes = [];
  for (const line of text.split("\n")) {
    const quoted = /^(?:&gt;|>) ?/.exec(line);
    const kind = quoted ? "BLOCKQUOTE" : "SPAN";
    const words_ = inline(quoted ? line.slice(quoted[0].length) : line);
    const last = nodes.at(-1);
    if (last?.nodeName === kind) last.append(el("br"), ...words_.map(asNode));
    else nodes.push(el(kind.toLowerCase(), {}, words_));
  }
  return text ? nodes : [];
}

function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(child);
}
