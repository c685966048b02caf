/* Many documents at once: what is ticked stays ticked while the table is fetched again. */
import { fill } from "./strings.js";

const bar = document.getElementById("bulk");
const chosen = new Set();
let all = false; // all that match the filter, also those on other pages
let last = null; // where a range with Shift begins

const table = () => document.getElementById("documents");
const boxes = () => [...table().querySelectorAll("[data-bulk-one]")];
const total = () => Number(table().dataset.total);

function show() {
  const number = all ? total() : chosen.size;
  const words = fill(all ? bar.dataset.all : bar.dataset.chosen, { number });
  for (const box of boxes()) box.checked = all || chosen.has(box.value);
  const page = table().querySelector("[data-bulk-page]");
  if (page) {
    const ticked = boxes().filter((box) => box.checked).length;
    page.checked = ticked > 0 && ticked === boxes().length;
    page.indeterminate = ticked > 0 && ticked < boxes().length;
  }
  bar.hidden = number === 0;
  for (const place of document.querySelectorAll("[data-bulk-count]")) place.textContent = words;
  const more = bar.querySelector("[data-bulk-all]");
  more.hidden = all || total() <= chosen.size;
  more.textContent = fill(more.dataset.label, { number: total() });
}

function choose(box, wanted) {
  if (wanted) chosen.add(box.value);
  else chosen.delete(box.value);
}

function none() {
  all = false;
  chosen.clear();
  show();
}

/* Leaving "all that match" for single ones begins with those of this page. */
function fromAll() {
  if (!all) return;
  all = false;
  for (const box of boxes()) chosen.add(box.value);
}

document.addEventListener("click", (event) => {
  const box = event.target.closest?.("[data-bulk-one]");
  if (box) {
    fromAll();
    const row = boxes();
    const [from, to] = [row.findIndex((each) => each.value === last), row.indexOf(box)].sort((a, b) => a - b);
    const range = event.shiftKey && from >= 0 ? row.slice(from, to + 1) : [box];
    for (const each of range) choose(each, box.checked);
    last = box.value;
    show();
  } else if (event.target.closest?.("[data-bulk-page]")) {
    fromAll();
    for (const each of boxes()) choose(each, event.target.checked);
    show();
  } else if (event.target.closest?.("[data-bulk-all]")) {
    all = true;
    show();
  } else if (event.target.closest?.("[data-bulk-none]")) none();
});

document.addEventListener("submit", (event) => {
  const place = event.target.querySelector("[data-selection]");
  if (!place) return;
  const name = table().dataset.field ?? "document";
  const fields = all ? [["all", "1"], ["query", table().dataset.query]] : [...chosen].map((id) => [name, id]);
  place.replaceChildren(
    ...fields.map(([name, value]) => Object.assign(document.createElement("input"), { type: "hidden", name, value })),
  );
});

/* A new filter shows other documents: what was chosen before is not meant any more. */
document.getElementById("filters")?.addEventListener("input", none);
document.addEventListener("htmx:afterSwap", show);
addEventListener("pageshow", show);
