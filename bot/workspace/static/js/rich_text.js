// A rich_text block as nodes.

import { el } from "./dom.js";
import { link } from "./links.js";
import { broadcast, channelMention, emoji, memberMention } from "./mentions.js";
import { codeBlock } from "./markdown.js";

const STYLES = [["bold", "strong"], ["italic", "em"], ["strike", "s"], ["underline", "u"], ["code", "code"]];

export function richText(block) {
  return el("div", { class: "rich-text" }, lists(block.elements || []));
}

// Lists that follow each other with a deeper indent lie inside the one before.
function lists(elements) {
  return elements.map((element) => {
    switch (element.type) {
      case "rich_text_preformatted":
        return codeBlock(plain(element.elements), element.language);
      case "rich_text_quote":
        return el("blockquote", {}, parts(element.elements));
      case "rich_text_list":
        return el(
          element.style === "ordered" ? "ol" : "ul",
          {
            start: element.offset ? element.offset + 1 : undefined,
            style: { marginLeft: `${(element.indent || 0) * 24}px` },
          },
          element.elements.map((item) => el("li", {}, parts(item.elements))),
        );
      default:
        return el("div", { class: "rich-section" }, parts(element.elements));
    }
  });
}

function plain(elements) {
  return elements.map((part) => part.text ?? part.url ?? "").join("");
}

export function parts(elements = []) {
  return elements.map((part) => styled(node(part), part.style || {}));
}

function styled(child, style) {
  return STYLES.reduce((inner, [name, tag]) => (style[name] ? el(tag, {}, inner) : inner), child);
}

function node(part) {
  switch (part.type) {
    case "text":
      return el("span", {}, part.text.split("\n").flatMap((t, i) => (i ? [el("br"), t] : [t])));
    case "link":
      return link(part.url, part.text ? [part.text] : []);
    case "user":
      return memberMention(part.user_id);
    case "channel":
      return channelMention(part.channel_id);
    case "broadcast":
      return broadcast(part.range);
    case "emoji":
      return emoji(part.name);
    case "date":
      return new Date(part.timestamp * 1000).toLocaleString();
    default:
      return part.fallback || part.value || "";
  }
}
