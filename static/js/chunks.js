/* A passage and its region on the page's picture show each other. */

const list = document.querySelector(".chunk-list");
const regions = document.querySelector(".page-regions");

/** Marks the card and the region of a passage, and no other. */
function point(id) {
  for (const each of document.querySelectorAll(".is-near")) each.classList.remove("is-near");
  if (!id) return;
  document.getElementById(`chunk-${id}`)?.classList.add("is-near");
  document.getElementById(`region-${id}`)?.classList.add("is-near");
}

const idOf = (event) => {
  const found = event.target instanceof Element && event.target.closest("[data-chunk], [data-region]");
  return found ? (found.dataset.chunk ?? found.dataset.region) : "";
};

for (const part of [list, regions]) {
  part?.addEventListener("pointerover", (event) => point(idOf(event)));
  part?.addEventListener("focusin", (event) => point(idOf(event)));
  part?.addEventListener("pointerleave", () => point(""));
}

// The address stays as it is: "back" leaves the page, not the passage.
regions?.addEventListener("click", (event) => {
  const id = idOf(event);
  const card = id && document.getElementById(`chunk-${id}`);
  if (!card) return;
  event.preventDefault();
  card.scrollIntoView({ block: "start" });
  card.focus({ preventScroll: true });
  point(id);
});

list?.addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("a.where");
  const region = link && document.getElementById(`region-${idOf(event)}`);
  if (!region) return;
  event.preventDefault();
  region.scrollIntoView({ block: "center" });
  point(idOf(event));
});
