/* Requests for approval: keys inside of a card, and where the focus goes when one is decided. */

const FIELDS = "input, textarea, select, [contenteditable]";

function openEditor(card) {
  const editor = card.querySelector("[data-edit]");
  if (!editor) return;
  editor.open = true;
  editor.querySelector(FIELDS)?.focus();
}

/* Single keys work only when the focus is in the card, and not in one of its fields. */
document.addEventListener("keydown", (event) => {
  const card = event.target.closest?.(".approval");
  if (!card || event.altKey || event.isComposing) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const inEditor = event.target.closest("[data-edit]");
    card.requestSubmit(inEditor?.querySelector("[name=resolution]") ?? card.querySelector("[data-key=a]"));
    return;
  }
  if (event.target.closest(FIELDS)) return;
  if (event.key === "e") openEditor(card);
  const button = event.key.length === 1 && card.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (event.key === "e" || button) event.preventDefault();
  button?.click?.();
});

/* The card is gone with the focus in it: on to the next one, or back to writing. */
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (!detail.requestConfig?.elt?.matches?.(".approval") || document.activeElement !== document.body) return;
  const problem = document.querySelector(".approval [aria-invalid=true], .approval [role=alert]");
  const next = problem ?? document.querySelector(".approval [data-key=a]") ?? document.querySelector(".composer textarea");
  (next ?? document.getElementById("main")).focus();
});
