// The marks inside a line of Markdown: code, links, bold, italics, strike, mentions.

import { el } from "./dom.js";
import { link } from "./links.js";
import { broadcast, channelMention, memberMention, withEmoji } from "./mentions.js";
import { unescape } from "./mrkdwn.js";

const ESCAPED = /^\\([!-/:-@[-`{-~])/;
const CODE = /^(`+)([\s\S]*?[^`])\1(?!`)/;
const IMAGE = /^!\[([^\]]*)\]\(([^()\s]*)(?:\s+"[^"]*")?\)/;
const LINK = /^\[((?:[^[\]\\]|\\.|\[[^\]]*\])*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\s*\)/;
const ANGLE = /^<(@[UW]\w+|#C\w+(?:\|[^>]*)?|!(?:here|channel|everyone)|https?:\/\/[^>\s]+)>/;
const BARE = /^https?:\/\/[^\s<>()[\]"']*[^\s<>()[\]"'.,;:!?*_~]/;
const PAIRS = [
  [/^\*\*(?=\S)([\s\S]*?\S)\*\*(?!\*)/, "strong"],
  [/^__(?=\S)([\s\S]*?\S)__(?!\w)/, "strong"],
  [/^~~(?=\S)([\s\S]*?\S)~~/, "s"],
  [/^\*(?=[^\s*])([\s\S]*?[^\s*])\*(?!\*)/, "em"],
  [/^_(?=[^\s_])([\s\S]*?[^\s_])_(?!\w)/, "em"],
];

export function inlineMarkdown(text) {
  const nodes = [];
  let plain = "";
  let rest = text;
  const flush = () => {
    if (plain) nodes.push(unescape(withEmoji(plain)));
    plain = "";
  };
  while (rest) {
    const found = piece(rest, plain.at(-1) ?? "");
    if (found) {
      flush();
      nodes.push(found.node);
      rest = rest.slice(found.length);
    } else {
      const escaped = ESCAPED.exec(rest);
      plain += escaped ? escaped[1] : rest[0];
      rest = rest.slice(escaped ? 2 : 1);
    }
  }
  flush();
  return nodes;
}

function piece(rest, before) {
  let found;
  if (rest[0] === "\n") return { node: el("br"), length: 1 };
  if (rest[0] === "`" && (found = CODE.exec(rest))) {
    return { node: el("code", {}, found[2].trim() || found[2]), length: found[0].length };
  }
  // An image is never fetched: its words and its address are shown instead.
  if (rest[0] === "!" && (found = IMAGE.exec(rest))) {
    return { node: link(found[2], [found[1] || "image"]), length: found[0].length };
  }
  if (rest[0] === "[" && (found = LINK.exec(rest))) {
    return { node: link(found[2], inlineMarkdown(found[1])), length: found[0].length };
  }
  if (rest[0] === "<" && (found = ANGLE.exec(rest))) {
    return { node: mention(found[1]), length: found[0].length };
  }
  if (rest[0] === "h" && !/\w/.test(before) && (found = BARE.exec(rest))) {
    return { node: link(found[0], []), length: found[0].length };
  }
  return pair(rest, before);
}

function pair(rest, before) {
  if (rest[0] === "_" && /\w/.test(before)) return null;
  for (const [pattern, tag] of PAIRS) {
    const found = pattern.exec(rest);
    if (found) return { node: el(tag, {}, inlineMarkdown(found[1])), length: found[0].length };
  }
  return null;
}

function mention(inner) {
  if (inner.startsWith("@")) return memberMention(inner.slice(1));
  if (inner.startsWith("#")) return channelMention(...inner.slice(1).split("|"));
  if (inner.startsWith("!")) return broadcast(inner.slice(1));
  return link(inner, []);
}
