// Switches faults on and off, and shows what fails now.

import { el, replace } from "../js/dom.js";

const token = document.querySelector('meta[name="page-token"]').content;
const at = (id) => document.getElementById(id);

const HINTS = {
  slack: "A Web API method; * stands for anything, as in chat.*",
  graph: "Method and path, as in POST /me/sendMail or GET /me/*",
  entra: "token and the grant, as in token refresh_token",
};

async function ask(action, args = {}) {
  const response = await fetch(`/trouble/${action}`, {
    method: "POST",
    headers: { "X-Page-Token": token, "Content-Type": "application/json" },
    body: JSON.stringify(args),
  });
  at("problem").textContent = response.ok ? "" : "That was not understood. Reload the page if it was started anew.";
  if (response.ok) show(await response.json());
}

function show(now) {
  if (!at("name").options.length) {
    replace(at("name"), now.catalogue.map((one) =>
      el("option", { value: one.name }, `${one.name.replace(".", ": ").replaceAll("_", " ")} (${one.sentence})`)));
    hint();
  }
  at("paced").checked = now.is_paced;
  at("skew").value = now.skew;
  const lines = now.faults.map((one) => {
    const left = one.left ? `${one.left} more` : "until cleared";
    return el("li", {}, `${one.platform} ${one.on}: ${one.what} (${left})`);
  });
  if (now.is_paced) lines.push(el("li", {}, "slack: rate limits hold"));
  if (now.skew) lines.push(el("li", {}, `slack: clock ${now.skew > 0 ? "ahead" : "behind"} by ${Math.abs(now.skew)} s`));
  replace(at("standing"), lines.length ? lines : el("li", { class: "none" }, "Nothing. Everything works."));
}

function hint() {
  at("hint").textContent = HINTS[at("name").value.split(".")[0]];
}

at("name").addEventListener("change", hint);
at("switch").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = Object.fromEntries(new FormData(event.target));
  ask("on", { ...given, seconds: Number(given.seconds), times: Number(given.times) });
});
at("whole").addEventListener("submit", (event) => event.preventDefault());
at("paced").addEventListener("change", () => ask("set", { is_paced: at("paced").checked }));
at("skew").addEventListener("change", () => ask("set", { skew: Number(at("skew").value) }));
at("calm").addEventListener("click", () => ask("calm"));
setInterval(() => ask("now"), 2_000);
ask("now");
