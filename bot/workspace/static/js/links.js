// The one place that makes something clickable out of an address.

import { el } from "./dom.js";

export function safeAddress(address) {
  try {
    const parsed = new URL(address);
    return ["http:", "https:"].includes(parsed.protocol) ? parsed.href : "";
  } catch {
    return "";
  }
}

// A link to http or https; anything else stays words.
export function link(address, children, attributes = {}) {
  const safe = safeAddress(address);
  const label = children === undefined || children.length === 0 ? [address] : children;
  if (!safe) return el("span", { class: "dead-link" }, label);
  return el(
    "a",
    { href: safe, target: "_blank", rel: "noopener noreferrer", title: safe, ...attributes },
    label,
  );
}

export function follow(address) {
  const safe = safeAddress(address);
  if (safe) window.open(safe, "_blank", "noopener,noreferrer");
}
