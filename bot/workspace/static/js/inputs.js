// Form fields: menus, dates, boxes, texts. Each tells its value when it is picked or collected.

import { el } from "./dom.js";
import { plainOf, textObject } from "./text_object.js";
import { state } from "./state.js";

const TEXTS = {
  plain_text_input: "text", email_text_input: "email", url_text_input: "url", number_input: "number",
};
const MOMENTS = { datepicker: ["date", "initial_date"], timepicker: ["time", "initial_time"] };

// context: onpick(value, node) for a field that acts at once, or collect(block, element, read,
// node) for one that is read when its form is sent.
export function input(one, block, context) {
  const node = built(one, context);
  const read = () => valueOf(one, node);
  node.dataset.action = one.action_id;
  if (context.collect) context.collect(block, one, read, node);
  if (context.onpick) node.addEventListener("change", () => context.onpick(read(), fieldOf(node)));
  return node;
}

function fieldOf(node) {
  return node.matches("select, input, textarea") ? node : node.querySelector("input, select");
}

function built(one, context) {
  if (one.type in TEXTS) return text(one, context);
  if (one.type in MOMENTS) {
    const [kind, initial] = MOMENTS[one.type];
    return el("input", { type: kind, class: "field is-short", value: one[initial], "aria-label": labelOf(one, context) });
  }
  if (one.type === "datetimepicker") {
    return el("input", { type: "datetime-local", class: "field is-short", "aria-label": labelOf(one, context) });
  }
  if (one.type === "checkboxes" || one.type === "radio_buttons") return boxes(one);
  return select(one, context);
}

function labelOf(one, context) {
  return context.label || plainOf(one.placeholder) || one.action_id;
}

function text(one, context) {
  const shared = {
    class: "field", placeholder: plainOf(one.placeholder), minlength: one.min_length,
    maxlength: one.max_length, "aria-label": labelOf(one, context),
  };
  if (one.multiline) {
    const area = el("textarea", { ...shared, rows: 5 });
    area.value = one.initial_value || "";
    return area;
  }
  return el("input", { ...shared, type: TEXTS[one.type], value: one.initial_value, step: "any" });
}

function boxes(one) {
  const type = one.type === "checkboxes" ? "checkbox" : "radio";
  const initial = (one.initial_options || [one.initial_option]).filter(Boolean).map((o) => o.value);
  const name = `${one.action_id}-${Math.random().toString(36).slice(2)}`;
  return el("fieldset", { class: "boxes" }, one.options.map((option) =>
    el("label", {},
      el("input", { type, name, value: option.value, checked: initial.includes(option.value) }),
      el("span", {}, textObject(option.text),
        option.description ? el("small", {}, textObject(option.description)) : null))));
}

function select(one, context) {
  const isMany = one.type.startsWith("multi_");
  const chosen = [one.initial_option, ...(one.initial_options || [])].filter(Boolean).map((o) => o.value)
    .concat(one.initial_user || one.initial_channel || one.initial_conversation || [], one.initial_users || []);
  const option = (o) => el("option", { value: o.value, selected: chosen.includes(o.value) }, plainOf(o.text));
  const groups = (one.option_groups || []).map((group) =>
    el("optgroup", { label: plainOf(group.label) }, group.options.map(option)));
  const hint = el("option", { value: "", selected: !chosen.length, disabled: true }, plainOf(one.placeholder) || "Choose…");
  return el("select", { class: "field is-short", multiple: isMany, "aria-label": labelOf(one, context) },
    isMany ? null : hint, groups, optionsOf(one).map(option));
}

function optionsOf(one) {
  if (one.type.includes("users_select")) {
    return [...state.people.values()].map((person) => ({ value: person.id, text: person.real_name }));
  }
  if (one.type.includes("channels_select") || one.type.includes("conversations_select")) {
    return state.channels.filter((channel) => channel.name)
      .map((channel) => ({ value: channel.id, text: `#${channel.name}` }));
  }
  return one.options || [];
}

function valueOf(one, node) {
  if (one.type === "checkboxes") return [...node.querySelectorAll(":checked")].map((box) => box.value);
  if (one.type === "radio_buttons") return node.querySelector(":checked")?.value ?? null;
  if (one.type.startsWith("multi_")) return [...node.selectedOptions].map((option) => option.value);
  if (one.type === "datetimepicker") return node.value ? Math.floor(new Date(node.value).getTime() / 1000) : null;
  return node.value || null;
}
