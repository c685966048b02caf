/* Entries of questions and answers: more and fewer answers, which entry a dialog deletes, the panel's focus. */
document.addEventListener("click", (event) => {
  const add = event.target.closest?.("[data-add-answer]");
  const remove = event.target.closest?.("[data-remove-answer]");
  const bin = event.target.closest?.("[data-faq-delete]");
  if (add) {
    const list = add.closest("[data-answers]");
    add.before(list.querySelector("template").content.cloneNode(true));
    [...list.querySelectorAll("textarea")].at(-1).focus();
  } else if (remove) {
    const list = remove.closest("[data-answers]");
    remove.closest(".answer-field").remove();
    list.querySelector("textarea")?.focus();
  } else if (bin) document.querySelector("#delete-entry [name=entry]").value = bin.dataset.faqDelete;
});

/* The panel was filled: who works by keyboard goes on in it, and Escape leads back. */
let opener = null;
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.target?.id === "panel" && !event.detail.elt.closest("#panel")) opener = event.detail.elt;
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "panel") return;
  const panel = event.detail.target;
  const first = panel.querySelector("[aria-invalid=true], input:not([type=hidden]), .faq-form");
  if (first) first.focus();
  else opener?.focus();
});
document.addEventListener("keydown", (event) => {
  const panel = document.getElementById("panel");
  if (event.key !== "Escape" || !panel?.contains(event.target)) return;
  panel.replaceChildren();
  opener?.focus();
});
