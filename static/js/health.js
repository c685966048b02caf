/* The strip of pages is one stop of the tab key; arrows, Home and End go from page to page. */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

function settle(strip) {
  const cells = [...strip.children];
  const here = cells.find((cell) => cell.tabIndex === 0 && cell === document.activeElement) ?? cells[0];
  for (const cell of cells) cell.tabIndex = cell === here ? 0 : -1;
}

function settleAll() {
  document.querySelectorAll("[data-health]").forEach(settle);
}

document.addEventListener("keydown", (event) => {
  const strip = event.target.closest?.("[data-health]");
  if (!strip) return;
  const cells = [...strip.children];
  const at = cells.indexOf(event.target);
  const flip = document.documentElement.dir === "rtl" ? -1 : 1;
  let next = -1;
  if (event.key in STEPS) next = at + STEPS[event.key] * flip;
  else if (event.key === "Home") next = 0;
  else if (event.key === "End") next = cells.length - 1;
  if (!cells[next]) return;
  event.preventDefault();
  cells[at].tabIndex = -1;
  cells[next].tabIndex = 0;
  cells[next].focus();
});

document.addEventListener("htmx:afterSettle", settleAll);
settleAll();
