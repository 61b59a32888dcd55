// The side panel of one answer: everything that happened inside its turn.

import { ask } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { callCard, fact, money, seconds, tokens, waterfall } from "./inside_parts.js";

const pane = () => document.getElementById("inside");
let before = null;

export function insideLine(message, place) {
  if (!message.turn) return null;
  return button("Inside", {
    class: "inside-line",
    title: "What happened inside this answer",
    onclick: () => showInside(place.channel, message.ts),
  }, icon("inside", 14), "Inside");
}

export async function showInside(channel, ts) {
  before = document.activeElement;
  frame(el("div", { class: "empty" }, "Looking inside…"), "");
  try {
    const inside = await ask("inside", { channel, ts });
    frame(sections(inside), inside.turn);
  } catch (error) {
    frame(el("div", { class: "empty" }, error.code === "no_such_turn"
      ? "Nothing is known of this turn any more." : "The workspace did not answer."), "");
  }
}

export function closeInside() {
  if (!isInside()) return;
  pane().hidden = true;
  replace(pane());
  document.getElementById("frame").classList.remove("has-inside");
  if (before?.isConnected) before.focus();
}

export function isInside() {
  return !pane().hidden;
}

function frame(body, turn) {
  const shut = button("Close the panel", { class: "icon-button", onclick: closeInside }, icon("close"));
  pane().hidden = false;
  document.getElementById("frame").classList.add("has-inside");
  replace(pane(),
    el("div", { class: "pane-head" },
      el("h1", {}, icon("inside", 18), "Inside"),
      el("span", { class: "topic turn-id", title: turn }, turn), shut),
    el("div", { class: "scroller inside-body", tabindex: 0, "aria-label": "What happened inside" }, body));
  shut.focus();
}

function sections(inside) {
  return [
    summary(inside),
    inside.missing.map((sentence) => el("div", { class: "alert is-warning inside-alert" },
      el("span", {}, el("b", {}, "Not here: "), sentence))),
    section("Time", inside.steps.length ? waterfall(inside.steps) : null),
    inside.rounds.map((round) => roundOf(round, inside.state)),
    section(`Waits for people`, inside.waiting.map(waitingCard)),
    section(`Tools offered`, offered(inside), inside.offered.length),
    section(`Tools withheld`, withheld(inside), inside.withheld.length),
    section("Servers", inside.problems.map((sentence) => el("p", { class: "muted" }, sentence))),
    section("Ledger", ledger(inside.ledger), inside.ledger.length),
    section("Posts", posts(inside.posts), inside.posts.length),
  ];
}

function section(title, body, count) {
  const isEmpty = !body || (Array.isArray(body) && !body.length);
  if (isEmpty) return null;
  return el("section", { class: "inside-section" },
    el("h2", {}, title, count === undefined ? null : el("span", { class: "count" }, String(count))), body);
}

function summary(inside) {
  const took = inside.finished_at && inside.accepted_at
    ? seconds(inside.finished_at - inside.accepted_at) : "";
  const used = inside.ledger.reduce((sum, entry) => sum + entry.usage.input_tokens + entry.usage.output_tokens, 0);
  const priced = inside.ledger.filter((entry) => entry.price !== null);
  const price = priced.reduce((sum, entry) => sum + Number(entry.price), 0);
  const calls = inside.rounds.reduce((sum, round) => sum + round.calls.length, 0);
  return el("div", { class: "inside-summary" },
    el("div", { class: "inside-question" },
      el("span", { class: `state is-${inside.state}` }, inside.state),
      el("q", {}, inside.question)),
    el("dl", { class: "facts" },
      fact("Time", took),
      fact("Model", inside.model),
      fact("Agent", inside.agent),
      fact("Tool calls", String(calls)),
      fact("Tokens", tokens(used)),
      fact("Price", money(price) + (priced.length < inside.ledger.length ? " + unpriced" : "")),
      inside.attempt > 1 ? fact("Tries", String(inside.attempt)) : null));
}

function roundOf(round, state) {
  const uses = round.uses.map((use) => el("div", { class: "use" },
    el("span", { class: "dot is-model" }), el("b", {}, use.model),
    use.outcome === "ok" ? null : el("span", { class: "outcome is-failed" }, use.outcome),
    el("span", { class: "use-numbers" },
      `${use.usage.input_tokens.toLocaleString()} in · ${use.usage.output_tokens.toLocaleString()} out`
      + ` · ${use.price === null ? "unpriced" : money(Number(use.price))} · ${seconds(use.seconds)}`)));
  const title = round.calls.length || state !== "done" ? `Round ${round.number}` : "The answer";
  return el("section", { class: "inside-section round" },
    el("h2", {}, title), uses,
    round.said ? el("blockquote", { class: "said" }, round.said) : null,
    round.calls.map(callCard));
}

function waitingCard(call) {
  return el("div", { class: "waiting" },
    el("div", { class: "call-head" }, el("b", {}, `#${call.number} ${call.tool}`),
      el("span", { class: `outcome is-${call.state}` }, call.state)),
    el("p", { class: "muted" }, call.rule),
    call.outcome ? el("p", {}, call.outcome) : null);
}

function offered(inside) {
  if (!inside.offered.length) return null;
  return el("div", { class: "tool-chips" }, inside.offered.map((key) => el("code", {}, key)));
}

function withheld(inside) {
  if (!inside.withheld.length) return null;
  const rules = new Map();
  for (const one of inside.withheld) rules.set(one.rule, [...(rules.get(one.rule) || []), one]);
  return el("dl", { class: "withheld" }, [...rules].map(([rule, tools]) => [
    el("dt", {}, rule),
    el("dd", { class: "tool-chips" }, tools.map((one) => el("code", {}, one.key))),
  ]));
}

function ledger(entries) {
  if (!entries.length) return null;
  const rows = entries.map((entry) => {
    const { round, purpose, tool } = entry.billing;
    return el("tr", {},
      el("td", {}, round ? `${round}` : ""), el("td", {}, tool || purpose), el("td", {}, entry.model),
      el("td", { class: "to-right" }, entry.usage.input_tokens.toLocaleString()),
      el("td", { class: "to-right" }, entry.usage.output_tokens.toLocaleString()),
      el("td", { class: "to-right" }, entry.price === null ? "unpriced" : money(Number(entry.price))),
      el("td", { class: "to-right" }, seconds(entry.seconds)));
  });
  const heads = ["Round", "For", "Model", "In", "Out", "Price", "Time"];
  return el("div", { class: "table-frame" }, el("table", { class: "table ledger" },
    el("thead", {}, el("tr", {}, heads.map((name, at) => el("th", { class: at > 2 ? "to-right" : "" }, name)))),
    el("tbody", {}, rows)));
}

function posts(all) {
  return all.map((post) => el("div", { class: "use" },
    el("span", { class: `outcome is-${post.state}` }, post.state), el("b", {}, post.kind),
    el("span", { class: "use-numbers" }, post.reason || (post.tries > 1 ? `tried ${post.tries} times` : ""))));
}
