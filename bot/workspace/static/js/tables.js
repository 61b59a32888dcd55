// Tables: the plain one, and the one with pages and sorting.

import { button, el, replace } from "./dom.js";
import { richText } from "./rich_text.js";

function cell(value) {
  if (value.type === "rich_text") return richText(value);
  if (value.type === "raw_number") return value.text ?? value.value.toLocaleString();
  return value.text;
}

function isNumber(value) {
  return value.type === "raw_number";
}

export function table(block) {
  const settings = block.column_settings || [];
  const side = (index, value) => settings[index]?.align || (isNumber(value) ? "right" : "left");
  const row = (tag) => (values) =>
    el("tr", {}, values.map((value, index) =>
      el(tag, {
        class: `to-${side(index, value)}${settings[index]?.is_wrapped ? " is-wrapped" : ""}`,
      }, cell(value))));
  const [head, ...rows] = block.rows;
  return el(
    "div",
    { class: "table-frame", tabindex: 0 },
    el(
      "table",
      { class: "table" },
      el("thead", {}, row("th")(head)),
      el("tbody", {}, rows.map(row("td"))),
    ),
  );
}

export function dataTable(block) {
  const [head, ...rows] = block.rows;
  const view = { page: 0, column: -1, isDown: false };
  const size = block.page_size || 5;
  const holder = el("div", { class: "data-table" });
  const draw = () => replace(holder, ...dataTableNodes(block, head, rows, view, size, draw));
  draw();
  return holder;
}

function dataTableNodes(block, head, rows, view, size, draw) {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const shown = ordered(rows, view).slice(view.page * size, (view.page + 1) * size);
  const sort = (column) => () => {
    view.isDown = view.column === column && !view.isDown;
    Object.assign(view, { column, page: 0 });
    draw();
  };
  const heading = (value, index) => {
    const mark = view.column === index ? (view.isDown ? " ↓" : " ↑") : "";
    return el("th", { scope: "col", class: isNumber(rows[0]?.[index] || {}) ? "to-right" : null },
      button(`Sort by ${value.text ?? value.value}`, { class: "sorter", onclick: sort(index) },
        cell(value), mark));
  };
  const line = (row) => el("tr", {}, row.map((value, index) => {
    const tag = index === (block.row_header_column_index ?? 0) ? "th" : "td";
    return el(tag, { scope: tag === "th" ? "row" : null, class: isNumber(value) ? "to-right" : null }, cell(value));
  }));
  return [
    el("div", { class: "table-frame", tabindex: 0 },
      el("table", { class: "table" },
        el("caption", {}, block.caption),
        el("thead", {}, el("tr", {}, head.map(heading))),
        el("tbody", {}, shown.map(line)))),
    pages > 1 ? pager(view, pages, rows.length, size, draw) : null,
  ];
}

function ordered(rows, view) {
  if (view.column < 0) return rows;
  const key = (row) => row[view.column].value ?? row[view.column].text ?? "";
  const compare = (one, other) => {
    const [a, b] = [key(one), key(other)];
    return typeof a === "number" && typeof b === "number"
      ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const sorted = [...rows].sort(compare);
  return view.isDown ? sorted.reverse() : sorted;
}

function pager(view, pages, count, size, draw) {
  const turn = (by) => () => {
    view.page += by;
    draw();
  };
  const first = view.page * size + 1;
  const last = Math.min(count, first + size - 1);
  return el("div", { class: "pager" },
    button("Previous page", { class: "small", disabled: view.page === 0, onclick: turn(-1) }, "‹"),
    el("span", {}, `${first}–${last} of ${count}`),
    button("Next page", { class: "small", disabled: view.page >= pages - 1, onclick: turn(1) }, "›"));
}
