// Mentions of members, channels and everybody, as they stand inside a text.

import { el } from "./dom.js";
import { channelOf, memberOf, state } from "./state.js";

export function memberMention(id) {
  const kind = id === state.me ? "mention is-me" : "mention";
  return el("span", { class: kind, data: { member: id } }, `@${memberOf(id).real_name}`);
}

export function channelMention(id, name = "") {
  const known = channelOf(id)?.name || name || id;
  return el("span", { class: "mention", data: { channel: id } }, `#${known}`);
}

export function broadcast(range) {
  return el("span", { class: "mention is-loud" }, `@${range}`);
}

const EMOJI = {
  bar_chart: "📊", bulb: "💡", calendar: "📅", check: "✔️", clock1: "🕐", email: "✉️",
  envelope: "✉️", eyes: "👀", hourglass: "⌛", hourglass_flowing_sand: "⏳", key: "🔑",
  lock: "🔒", mag: "🔍", memo: "📝", no_entry: "⛔", page_facing_up: "📄", paperclip: "📎",
  raised_hands: "🙌", rocket: "🚀", rotating_light: "🚨", shield: "🛡️", smile: "😄",
  sparkles: "✨", tada: "🎉", thinking_face: "🤔", thumbsdown: "👎", thumbsup: "👍",
  "+1": "👍", "-1": "👎", warning: "⚠️", wave: "👋", white_check_mark: "✅", x: "❌",
  heart: "❤️", heavy_check_mark: "✔️", information_source: "ℹ️", stop_sign: "🛑", zap: "⚡",
};

export function emoji(name) {
  return EMOJI[name] || `:${name}:`;
}

export function withEmoji(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => EMOJI[name] || whole);
}
