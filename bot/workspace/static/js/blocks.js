// Block Kit: picks for each block the function that draws it.

import { alert, card, carousel, container, plan, provider, task } from "./cards.js";
import { chart } from "./charts.js";
import { el, icon } from "./dom.js";
import { element } from "./elements.js";
import { input } from "./inputs.js";
import { link } from "./links.js";
import { markdown } from "./markdown.js";
import { richText } from "./rich_text.js";
import { dataTable, table } from "./tables.js";
import { plainOf, textObject } from "./text_object.js";

const DRAWN = {
  actions: (block, context) =>
    el("div", { class: "actions" }, block.elements.map((one) => element(one, block, context))),
  alert,
  auth_provider: provider,
  card,
  carousel,
  container: (block, context) => container(block, context, render),
  context: (block) => el("div", { class: "context" }, block.elements.map(small)),
  context_actions: (block, context) =>
    el("div", { class: "actions is-quiet" }, block.elements.map((one) => element(one, block, context))),
  data_table: dataTable,
  data_visualization: chart,
  divider: () => el("hr"),
  header: (block) => el("h3", { class: "header" }, textObject(block.text)),
  image,
  input: field,
  markdown: (block) => el("div", { class: "markdown" }, markdown(block.text)),
  plan,
  rich_text: richText,
  section,
  table,
  task_card: task,
};

export function render(block, context) {
  const draw = DRAWN[block.type];
  const drawn = draw
    ? draw(block, context)
    : el("div", { class: "muted" }, `A block of the kind “${block.type}” stands here.`);
  drawn?.setAttribute?.("data-block", block.block_id || "");
  return drawn;
}

export function renderAll(blocks, context) {
  return blocks.map((block) => render(block, context));
}

function small(one) {
  if (one.type === "image") return el("span", { class: "image-mark" }, one.alt_text);
  return el("span", {}, textObject(one));
}

function section(block, context) {
  const main = [
    block.text ? el("div", { class: "section-text" }, textObject(block.text)) : null,
    block.fields
      ? el("div", { class: "fields" }, block.fields.map((one) => el("div", {}, textObject(one))))
      : null,
  ];
  if (!block.accessory) return el("div", { class: "section" }, main);
  return el("div", { class: "section has-accessory" },
    el("div", {}, main), el("div", { class: "accessory" }, element(block.accessory, block, context)));
}

// Never fetched: the page shows what the image is said to be, and where it lies.
function image(block) {
  return el("figure", { class: "image" },
    block.title ? el("figcaption", {}, textObject(block.title)) : null,
    el("div", { class: "image-frame" }, icon("picture", 18), el("span", {}, block.alt_text),
      block.image_url ? link(block.image_url, ["open"]) : null));
}

function field(block, context) {
  const label = plainOf(block.label);
  return el("div", { class: "form-field" },
    el("div", { class: "form-label" }, label, block.optional ? el("span", { class: "muted" }, " (optional)") : null),
    input(block.element, block, { ...context, label }),
    block.hint ? el("div", { class: "form-hint" }, textObject(block.hint)) : null,
    el("div", { class: "form-error", role: "alert" }));
}
