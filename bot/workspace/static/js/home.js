// The app's Home tab.

import { ask } from "./api.js";
import { renderAll } from "./blocks.js";
import { el, replace } from "./dom.js";
import { state } from "./state.js";

const node = el("div", { class: "home-tab" });
let shown = "";

export function homeTab() {
  shown = "";
  refreshHome(true);
  return node;
}

export async function refreshHome(isOpened = false) {
  if (state.tab !== "home") return;
  const { view } = await ask("home", { is_opened: isOpened });
  const version = view ? `${view.id} ${view.hash}` : "none";
  if (version === shown) return;
  shown = version;
  if (!view) {
    replace(node, el("div", { class: "empty" }, `${state.app.name} has put nothing here yet.`));
    return;
  }
  const context = {
    act: (block, one, value) => ask("act", { view: view.id, block_id: block.block_id, action_id: one.action_id, value }),
  };
  replace(node, renderAll(view.blocks, context));
}
