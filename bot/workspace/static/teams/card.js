// Draws Adaptive Cards: with Microsoft's own renderer where it was installed, else the elements
// that the bot sends, plainly.

import { button, el, icon } from "../js/dom.js";
import { link } from "../js/links.js";

const LOOK = {
  fontFamily: "inherit",
  containerStyles: { emphasis: { backgroundColor: "#f3f2f1" } },
};
const LOOKS = { Bolder: "is-strong", Lighter: "is-light" };

// `press(action, values)` is called with the action as it stands in the card.
export function card(content, press) {
  if (content.buttons) return signIn(content);
  const library = window.AdaptiveCards;
  return library ? byMicrosoft(library, content, press) : plainly(content, press);
}

// A file that the bot has for the person, and after they agreed: that it is there.
export function fileCard(attachment, take) {
  const isAsked = attachment.contentType.endsWith("file.consent");
  const size = attachment.content?.sizeInBytes;
  return el("div", { class: "card file-card" },
    el("p", { class: "is-strong" }, icon("file", 16), attachment.name),
    el("p", { class: "muted size-small" }, isAsked ? `${attachment.content.description} ${size} bytes` : "In your files"),
    isAsked ? el("div", { class: "card-actions" },
      button("Allow", { class: "button is-primary", onclick: () => take(true) }),
      button("Decline", { class: "button", onclick: () => take(false) })) : null);
}

// A request to sign in: words, and a button that leads to the sign-in.
export function signIn(content) {
  return el("div", { class: "card" }, el("p", {}, content.text),
    el("div", { class: "card-actions" }, (content.buttons || []).map((one) => link(one.value, [one.title], { class: "button" }))));
}

function byMicrosoft(library, content, press) {
  const drawn = new library.AdaptiveCard();
  drawn.hostConfig = new library.HostConfig(LOOK);
  drawn.onExecuteAction = (action) => {
    const sent = action.toJSON();
    if (sent.type === "Action.OpenUrl") open(sent.url, "_blank", "noopener,noreferrer");
    else press(sent, inputsOf(drawn));
  };
  drawn.parse(content);
  return el("div", { class: "card by-microsoft" }, drawn.render());
}

function inputsOf(drawn) {
  return Object.fromEntries(drawn.getAllInputs().map((input) => [input.id, input.value ?? ""]));
}

function plainly(content, press) {
  const box = el("div", { class: "card" }, (content.body || []).map(element));
  const row = el("div", { class: "card-actions" });
  for (const action of content.actions || []) row.append(actionButton(action, box, press));
  if (row.children.length) box.append(row);
  return box;
}

function actionButton(action, box, press) {
  if (action.type === "Action.OpenUrl") {
    return link(action.url, [action.title], { class: "button" });
  }
  const looks = { positive: "is-primary", destructive: "is-danger" };
  return button(action.title, {
    class: `button ${looks[action.style] || ""}`,
    onclick: (event) => {
      const missing = [...box.querySelectorAll("[required]")].find((input) => !input.value.trim());
      if (missing && action.verb === "save") {
        missing.focus();
        return;
      }
      event.currentTarget.classList.add("is-busy");
      press(action, valuesIn(box));
    },
  });
}

function valuesIn(box) {
  const inputs = [...box.querySelectorAll("[data-input]")];
  return Object.fromEntries(inputs.map((input) => [
    input.dataset.input,
    input.type === "checkbox" ? String(input.checked) : input.value,
  ]));
}

const DRAWN = {
  RichTextBlock: (one) => el("p", { class: spaced(one) }, (one.inlines || []).map(run)),
  TextBlock: (one) => el("p", { class: `${spaced(one)} ${look(one)}` }, dated(one.text || "")),
  Container: (one) => el("div", { class: `${spaced(one)} frame-${one.style || "none"}` }, (one.items || []).map(element)),
  Table: table,
  "Input.Text": (one) => labelled(one, el(one.isMultiline ? "textarea" : "input", {
    data: { input: one.id }, required: one.isRequired, maxlength: one.maxLength, rows: one.isMultiline ? 3 : null,
  }), one.value),
  "Input.Number": (one) => labelled(one, el("input", { type: "number", step: "any", data: { input: one.id } }), one.value),
  "Input.Toggle": (one) => el("label", { class: "card-input is-toggle" },
    el("input", { type: "checkbox", data: { input: one.id }, checked: one.value === "true" }), one.label || one.title),
  "Input.ChoiceSet": (one) => labelled(one, el("select", { data: { input: one.id } },
    (one.choices || []).map((choice) => el("option", { value: choice.value, selected: choice.value === one.value }, choice.title)))),
};

function element(one) {
  const draw = DRAWN[one.type];
  if (draw) return draw(one);
  if (one.fallback && one.fallback !== "drop") return element(one.fallback);
  return el("p", { class: "muted" }, `(${one.type})`);
}

function labelled(one, input, value) {
  if (value !== undefined) input.value = String(value);
  return el("label", { class: "card-input" }, el("span", { class: "card-label" }, one.label), input);
}

function run(one) {
  return el(one.strikethrough ? "s" : "span", { class: look(one) }, dated(one.text || ""));
}

function look(one) {
  return [
    LOOKS[one.weight] || "",
    one.size ? `size-${one.size.toLowerCase()}` : "",
    one.isSubtle ? "muted" : "",
    one.italic ? "is-italic" : "",
    one.color ? `color-${one.color.toLowerCase()}` : "",
  ].join(" ");
}

function spaced(one) {
  return `space-${(one.spacing || "default").toLowerCase()}`;
}

// Moments stand in the reader's own time zone: {{DATE(…, SHORT)}} and {{TIME(…)}}.
function dated(text) {
  return text.replace(/\{\{(DATE|TIME)\(([^,)]+)(?:,\s*\w+)?\)\}\}/g, (whole, kind, moment) => {
    const date = new Date(moment);
    if (Number.isNaN(date.getTime())) return whole;
    return kind === "DATE"
      ? date.toLocaleDateString([], { weekday: "short", month: "short", day: "numeric", year: "numeric" })
      : date.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
  });
}

function table(one) {
  const rows = (one.rows || []).map((row, at) => el("tr", {}, (row.cells || []).map((cell, place) =>
    el(at === 0 && one.firstRowAsHeaders ? "th" : "td", { class: side(one, place) }, (cell.items || []).map(element)))));
  return el("div", { class: "table-frame", tabindex: 0 }, el("table", { class: "table" }, el("tbody", {}, rows)));
}

function side(one, place) {
  return `to-${(one.columns?.[place]?.horizontalCellContentAlignment || "left").toLowerCase()}`;
}
