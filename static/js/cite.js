/* One popover for all citations, filled from the <template> beside the source of the same number.
   The chip is a link to that source, so that it works without this script, too. */
import { place } from "./popover.js";

const HOVER_MS = 180;
const pop = document.getElementById("cite-pop");
let anchor = null;
let opener = null;
let timer = 0;

function sourceOf(chip) {
  const source = document.getElementById(chip.getAttribute("href").slice(1));
  return source?.parentElement.querySelector("template");
}

function open(chip, { byKeyboard = false } = {}) {
  const template = sourceOf(chip);
  if (!template) return false;
  anchor?.setAttribute("aria-expanded", "false");
  pop.replaceChildren(template.content.cloneNode(true));
  pop.showPopover({ source: chip });
  place(pop, chip);
  chip.setAttribute("aria-expanded", "true");
  anchor = chip;
  if (byKeyboard) {
    pop.querySelector("a, button")?.focus({ preventScroll: true });
    opener = chip;
  }
  return true;
}

function closed() {
  const focus = document.activeElement;
  if (opener && (pop.contains(focus) || focus === document.body)) opener.focus({ preventScroll: true });
  anchor?.setAttribute("aria-expanded", "false");
  anchor = opener = null;
}

if (pop) {
  document.addEventListener("click", (event) => {
    const chip = event.target.closest("a.cite");
    if (chip && open(chip, { byKeyboard: event.detail === 0 })) event.preventDefault();
  });
  if (matchMedia("(hover: hover)").matches) {
    document.addEventListener("mouseover", (event) => {
      const chip = event.target.closest("a.cite");
      if (!chip || chip === anchor) return;
      clearTimeout(timer);
      timer = setTimeout(open, HOVER_MS, chip);
    });
    document.addEventListener("mouseout", (event) => event.target.closest("a.cite") && clearTimeout(timer));
  }
  pop.addEventListener("toggle", (event) => event.newState === "closed" && closed());
  document.addEventListener(
    "scroll",
    (event) => pop.matches(":popover-open") && !pop.contains(event.target) && pop.hidePopover(),
    { capture: true, passive: true },
  );
}
