/* The lines of the tray: which file is how far. Of thousands only the first ones, and what failed, have a line. */
import { fileSize, fill } from "./strings.js";

const SHOWN = 200;
const tray = document.getElementById("tray");
const list = document.getElementById("tray-list");
const byNode = new WeakMap();

/** The items by their state, each in the order in which they came. */
export const states = { waiting: new Set(), sending: new Set(), done: new Set(), failed: new Set() };

/** Returns the item of a line. */
export const itemOf = (node) => byNode.get(node);

/** Takes all items and lines away. */
export function clear() {
  for (const items of Object.values(states)) items.clear();
  list.replaceChildren();
}

function lineOf(item) {
  if (item.node) return item.node;
  const node = document.getElementById("tray-item").content.firstElementChild.cloneNode(true);
  node.querySelector("[data-name]").textContent = item.name;
  node.querySelector("progress").setAttribute("aria-label", item.name);
  byNode.set(node, item);
  list.append(node);
  return (item.node = node);
}

/** Puts an item into a state, with a note on its line. */
export function show(item, state, note = "") {
  states[item.state]?.delete(item);
  states[state].add(item);
  item.state = state;
  const busy = state === "sending" || state === "failed";
  if (!item.node && !busy && list.childElementCount >= SHOWN) return;
  const node = lineOf(item);
  node.dataset.state = state;
  node.querySelector("[data-note]").textContent = note;
  if (state === "done" && list.childElementCount > SHOWN) {
    node.remove();
    item.node = null;
  }
}

/** Says on an item's line why it did not arrive. */
export function fail(item, problem) {
  item.problem = problem;
  show(item, "failed");
  item.node.querySelector("[data-problem]").textContent = problem;
}

/** Shows how much of an item is sent. */
export function progress(item, { loaded, total }) {
  if (item.state !== "sending") return;
  const sent = Math.min(item.file.size, (loaded / total) * item.file.size);
  item.node.querySelector("progress").value = (100 * loaded) / total;
  const words = fill(tray.dataset.progress, { sent: fileSize(sent), size: fileSize(item.file.size) });
  item.node.querySelector("[data-note]").textContent = words;
}
