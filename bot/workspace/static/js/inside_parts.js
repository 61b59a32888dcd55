// Parts of the side panel: the times as a waterfall, a tool call with its evidence.

import { button, el, replace } from "./dom.js";

const LABELS = {
  waited: "Waited in line",
  resolve: "Read the thread",
  retrieve: "Searched, chose tools",
  finish: "Checked and wrote",
  posted: "Posted",
};

export function seconds(value) {
  if (value < 0.00005) return "0 ms";
  if (value < 0.0995) return `${Math.max(0, value * 1000).toFixed(value < 0.00995 ? 1 : 0)} ms`;
  return `${value.toFixed(value < 9.995 ? 2 : 1)} s`;
}

export function money(value) {
  if (!value) return "$0";
  if (value < 0.0001) return "< $0.0001";
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

export function tokens(count) {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}

export function fact(name, value) {
  return value ? el("div", {}, el("dt", {}, name), el("dd", {}, value)) : null;
}

export function waterfall(steps) {
  const whole = Math.max(...steps.map((step) => step.began + step.seconds), 1e-6);
  return el("ol", { class: "waterfall" }, steps.map((step) => {
    const name = LABELS[step.name] || step.about.replace(/^.*\//, "") || step.name;
    const left = Math.min(99, (Math.max(0, step.began) / whole) * 100);
    const wide = Math.max(0.7, Math.min(100 - left, (step.seconds / whole) * 100));
    return el("li", { title: `${step.about || name}: from ${seconds(step.began)}, for ${seconds(step.seconds)}` },
      el("span", { class: "step-name" }, name, step.round ? el("small", {}, `round ${step.round}`) : null),
      el("span", { class: "track" }, el("i", {
        class: `bar is-${LABELS[step.name] ? "host" : step.name} is-${step.name}`,
        style: { left: `${left}%`, width: `${wide}%` },
      })),
      el("span", { class: "step-time" }, seconds(step.seconds)));
  }));
}

const WORDS = { kept: "done", read: "read on", parked: "waits", failed: "failed" };

export function callCard(call) {
  const outcome = call.is_error && call.outcome === "kept" ? "failed" : call.outcome;
  const card = el("details", { class: "call" },
    el("summary", {},
      el("span", { class: "dot is-tool" }), el("b", {}, call.tool || call.alias),
      el("span", { class: `outcome is-${outcome}` }, WORDS[outcome]),
      el("span", { class: "use-numbers" }, seconds(call.seconds))));
  // A result may be megabytes: it is drawn when somebody looks.
  card.addEventListener("toggle", () => {
    if (card.open && card.childElementCount === 1) card.append(body(call));
  });
  return card;
}

function body(call) {
  const names = Object.keys(call.arguments);
  return el("div", { class: "call-body" },
    names.length
      ? el("dl", { class: "arguments" }, names.map((name) => [
        el("dt", {}, name), el("dd", {}, el("code", {}, valueOf(call.arguments[name])))]))
      : el("p", { class: "muted" }, "No arguments."),
    evidence(call));
}

function valueOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function evidence(call) {
  const views = [];
  if (call.shown !== null) views.push({ name: "As the model saw it", text: call.shown });
  if (call.whole !== null) views.push({ name: "Whole", text: call.whole });
  if (!views.length) return el("p", { class: "muted" }, "What came back is past its time.");
  const text = el("pre", { class: "code evidence-text", tabindex: 0 });
  const tabs = views.map((view) => button(view.name, { class: "tab", "aria-pressed": "false", onclick: () => pick(view) },
    view.name, el("small", {}, view.text.length.toLocaleString())));
  const pick = (wanted) => {
    views.forEach((view, at) => {
      tabs[at].classList.toggle("is-on", view === wanted);
      tabs[at].setAttribute("aria-pressed", String(view === wanted));
    });
    replace(text, wanted.text);
    text.scrollTop = 0;
  };
  pick(views[0]);
  return el("div", { class: "evidence" }, el("div", { class: "tabs is-small" }, tabs), text);
}
