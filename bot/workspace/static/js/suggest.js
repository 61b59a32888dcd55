// Completion in the composer: @members, #channels, /commands.

import { button, el } from "./dom.js";
import { avatar, badge } from "./people.js";
import { state } from "./state.js";

const MOST = 6;

// What could stand at the caret: {from, rows: [{text, draw}]}, or null.
export function candidates(text, caret, channel) {
  const before = text.slice(0, caret);
  const found = /(^|\s)([@#])([\p{L}\p{N}._-]*)$/u.exec(before);
  if (found) {
    const from = caret - found[3].length - 1;
    return { from, rows: (found[2] === "@" ? members : channels)(found[3].toLowerCase(), channel) };
  }
  if (/^\/\S*$/.test(before)) return { from: 0, rows: commands(before) };
  return null;
}

function members(word, channel) {
  const here = channel?.members || [];
  return [...state.people.values()]
    .filter((person) => here.includes(person.id) && person.id !== state.me)
    .filter((person) => `${person.real_name} ${person.name}`.toLowerCase().split(" ").some((w) => w.startsWith(word)))
    .sort((one, other) => Number(other.is_bot) - Number(one.is_bot))
    .map((person) => ({
      text: `@${person.real_name} `,
      draw: () => [avatar(person.id, 22), el("strong", {}, person.real_name), badge(person.id), el("span", { class: "muted" }, person.title)],
    }));
}

function channels(word) {
  return state.channels
    .filter((channel) => channel.name?.startsWith(word))
    .map((channel) => ({ text: `#${channel.name} `, draw: () => [el("strong", {}, `# ${channel.name}`)] }));
}

function commands(word) {
  return state.app.commands
    .filter((name) => name.startsWith(word))
    .map((name) => ({
      text: `${name} `,
      draw: () => [avatar(state.app.id, 22), el("strong", {}, name), el("span", { class: "muted" }, state.app.name)],
    }));
}

// The list above a text area. Returns {close, update, key}: `key` says whether it took the key.
export function suggestions(area, holder, channelOf, onTaken) {
  let shown = null; // {from, rows, at}
  const close = () => {
    shown = null;
    holder.replaceChildren();
    area.removeAttribute("aria-activedescendant");
  };
  const take = (row) => {
    const caret = area.selectionStart;
    area.setRangeText(row.text, shown.from, caret, "end");
    close();
    onTaken();
    area.focus();
  };
  const draw = () => {
    holder.replaceChildren(el("div", { class: "suggestions", role: "listbox" }, shown.rows.map((row, index) =>
      button(row.text.trim(), {
        class: index === shown.at ? "suggestion is-on" : "suggestion",
        role: "option", tabindex: -1, "aria-selected": index === shown.at ? "true" : "false",
        onmousedown: (event) => {
          event.preventDefault();
          take(row);
        },
      }, row.draw()))));
  };
  const update = () => {
    const found = candidates(area.value, area.selectionStart, channelOf());
    if (!found || !found.rows.length) return close();
    shown = { from: found.from, rows: found.rows.slice(0, MOST), at: 0 };
    return draw();
  };
  const key = (event) => {
    if (!shown) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      shown.at = (shown.at + step + shown.rows.length) % shown.rows.length;
      draw();
    } else if (event.key === "Enter" || event.key === "Tab") take(shown.rows[shown.at]);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    return true;
  };
  return { close, update, key };
}
