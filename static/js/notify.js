/* Toasts, and sentences for screen readers. */

const TOAST_MS = 6000;

/** Speaks a sentence; level "assertive" interrupts. */
export function say(sentence, level = "polite") {
  const region = document.getElementById(level === "assertive" ? "shout" : "say");
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = sentence));
}

/** Shows a short note at the corner. Errors stay until dismissed. */
export function toast(sentence, level = "") {
  const node = document.getElementById("toast-template").content.firstElementChild.cloneNode(true);
  node.dataset.level = level;
  node.querySelector("[data-text]").textContent = sentence;
  document.getElementById("toasts").append(node);
  expire(node);
}

function expire(node) {
  if (node.dataset.level !== "error") setTimeout(() => node.remove(), TOAST_MS);
}

for (const node of document.querySelectorAll("#toasts > .toast")) expire(node);

document.addEventListener("click", (event) => {
  event.target.closest("[data-dismiss]")?.closest(".toast").remove();
});
