/* Change requests: what is ticked in a list, and comments on a line. */
import { fill } from "./strings.js";

const boxes = () => [...document.querySelectorAll("[data-pick]")];

function show() {
  const all = document.querySelector("[data-pick-all]");
  if (!all) return;
  const ticked = boxes().filter((box) => box.checked).length;
  all.checked = ticked > 0 && ticked === boxes().length;
  all.indeterminate = ticked > 0 && !all.checked;
  const words = document.querySelector("[data-picked]");
  words.textContent = ticked ? fill(words.dataset.picked, { number: ticked }) : "";
  for (const button of document.querySelectorAll("[data-needs-pick]")) button.disabled = ticked === 0;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick-all]")) for (const box of boxes()) box.checked = event.target.checked;
  if (event.target.matches("[data-pick-all], [data-pick]")) show();
});
document.addEventListener("htmx:afterSwap", show);
addEventListener("pageshow", show);

document.addEventListener("click", (event) => {
  const line = event.target.closest("[data-comment-line]");
  if (!line) return;
  const form = document.getElementById("comment-form");
  form.elements.line.value = line.dataset.commentLine;
  form.scrollIntoView({ block: "center" });
  form.elements.text.focus({ preventScroll: true });
});

/* In a place that both changed, writing chooses one's own text. */
document.addEventListener("input", (event) => {
  const name = event.target.name ?? "";
  if (!name.startsWith("own-")) return;
  const radio = event.target.form.querySelector(`[name="choice-${name.slice(4)}"][value="own"]`);
  if (radio) radio.checked = true;
});

/* Ctrl/⌘ Enter in the note is the first button of its form. */
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.target.id !== "verdict-note") return;
  event.target.form.querySelector("button.btn-primary")?.click();
});
show();
