// A markdown block as nodes: headings, lists, tasks, tables, code, quotes, rules, paragraphs.

import { el } from "./dom.js";
import { inlineMarkdown } from "./inline.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])\s*(?:\1\s*){2,}$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const TASK = /^\[([ xX])\]\s+/;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function markdown(text) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"));
}

function blocks(lines) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const [node, next] = block(lines, at);
    if (node) nodes.push(node);
    at = next;
  }
  return nodes;
}

function block(lines, at) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  if (FENCE.test(line)) return fenced(lines, at);
  const heading = HEADING.exec(line);
  if (heading) {
    return [el(`h${heading[1].length}`, { class: "md-heading" }, inlineMarkdown(heading[2])), at + 1];
  }
  if (RULE.test(line)) return [el("hr"), at + 1];
  if (line.includes("|") && at + 1 < lines.length && isDelimiter(lines[at + 1])) {
    return table(lines, at);
  }
  if (/^ {0,3}>/.test(line)) return quote(lines, at);
  if (ITEM.test(line)) return list(lines, at);
  return paragraph(lines, at);
}

function isDelimiter(line) {
  return line.includes("-") && line.includes("|") && DELIMITER.test(line);
}

function fenced(lines, at) {
  const [, fence, language] = FENCE.exec(lines[at]);
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  return [codeBlock(lines.slice(at + 1, end).join("\n"), language), end + 1];
}

export function codeBlock(code, language = "") {
  return el(
    "div",
    { class: "code-block" },
    language ? el("span", { class: "code-language" }, language) : null,
    el("pre", { class: "code", tabindex: 0 }, code),
  );
}

function quote(lines, at) {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return [el("blockquote", {}, blocks(inner)), end];
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsAnother(lines, end)) end += 1;
  const text = lines.slice(at, end).map((line) => line.trim()).join("\n");
  return [el("p", {}, inlineMarkdown(text)), end];
}

function startsAnother(lines, at) {
  const line = lines[at];
  const isTable = line.includes("|") && at + 1 < lines.length && isDelimiter(lines[at + 1]);
  return [FENCE, HEADING, RULE, ITEM, /^ {0,3}>/].some((mark) => mark.test(line)) || isTable;
}

function list(lines, at) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const isOrdered = /\d/.test(mark);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const found = ITEM.exec(lines[end]);
    if (found && found[1].length === indent.length && /\d/.test(found[2]) === isOrdered) {
      items.push([found[3]]);
    } else if (items.length && belongs(lines, end, indent.length)) {
      items.at(-1).push(lines[end].slice(Math.min(indent.length + 2, leading(lines[end]))));
    } else break;
    end += 1;
  }
  const start = isOrdered ? Number.parseInt(mark, 10) : undefined;
  return [el(isOrdered ? "ol" : "ul", { start }, items.map(item)), end];
}

function leading(line) {
  return line.length - line.trimStart().length;
}

// A line inside an item is indented further, or blank with such a line after it.
function belongs(lines, at, indent) {
  if (lines[at].trim()) return leading(lines[at]) > indent;
  const following = lines[at + 1];
  if (following === undefined || !following.trim()) return false;
  return leading(following) > indent || ITEM.exec(following)?.[1].length === indent;
}

function item(lines) {
  const task = TASK.exec(lines[0]);
  const first = task ? lines[0].slice(task[0].length) : lines[0];
  let end = 1;
  while (end < lines.length && lines[end].trim() && !startsAnother(lines, end)) end += 1;
  const words = [first, ...lines.slice(1, end).map((line) => line.trim())].join("\n");
  const box = task && el("input", {
    type: "checkbox", disabled: true, checked: task[1] !== " ", "aria-label": "task",
  });
  return el("li", { class: task ? "is-task" : null }, box, inlineMarkdown(words), blocks(lines.slice(end)));
}

export function cellsOf(line) {
  const cells = line.trim().replace(/^\|/, "").replace(/\|$/, "").split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function table(lines, at) {
  const head = cellsOf(lines[at]);
  const sides = cellsOf(lines[at + 1]).map((cell) => {
    if (cell.startsWith(":") && cell.endsWith(":")) return "center";
    return cell.endsWith(":") ? "right" : "left";
  });
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && lines[end].trim()) end += 1;
  const rows = lines.slice(at + 2, end).map(cellsOf);
  const cell = (tag) => (text, index) =>
    el(tag, {
      // An id, a day or a number is not broken at its hyphens.
      class: `to-${sides[index] || "left"}${/\s/.test(text) ? "" : " is-word"}`,
    }, inlineMarkdown(text));
  const body = rows.map((row) => el("tr", {}, head.map((_, i) => cell("td")(row[i] ?? "", i))));
  const drawn = el(
    "table",
    { class: "table" },
    el("thead", {}, el("tr", {}, head.map(cell("th")))),
    el("tbody", {}, body),
  );
  return [el("div", { class: "table-frame", tabindex: 0 }, drawn), end];
}
