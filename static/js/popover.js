/* Places popovers beside what opened them (CSS anchors are not everywhere yet). */

const GAP = 8;
const EDGE = 12;
const sheet = matchMedia("(max-width: 560px)");

/** Puts `popover` below (or above) `anchor`, inside of the window. */
export function place(popover, anchor) {
  popover.removeAttribute("style");
  if (sheet.matches && popover.classList.contains("pop")) return; // the style sheet makes it a bottom sheet
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const right = document.documentElement.clientWidth - width - EDGE;
  const preferred = popover.classList.contains("menu") ? startOf(box, width) : box.left + (box.width - width) / 2;
  const below = box.bottom + GAP;
  const above = box.top - height - GAP;
  const flips = below + height > innerHeight - EDGE && above > EDGE;
  popover.style.left = `${Math.max(EDGE, Math.min(preferred, right))}px`;
  popover.style.top = `${flips ? above : Math.max(EDGE, Math.min(below, innerHeight - height - EDGE))}px`;
}

function startOf(box, width) {
  const fromEnd = box.left > innerWidth / 2;
  return fromEnd ? box.right - width : box.left;
}

document.addEventListener(
  "toggle",
  (event) => {
    const menu = event.target;
    if (!(menu instanceof HTMLElement) || !menu.matches(".menu[popover]")) return;
    const button = document.querySelector(`[popovertarget="${menu.id}"]`);
    button?.setAttribute("aria-expanded", String(event.newState === "open"));
    if (event.newState === "open" && button) place(menu, button);
  },
  true,
);

/* A menu closes when one of its actions is taken; choices (inputs) leave it open. */
document.addEventListener("click", (event) => {
  const menu = event.target.closest(".menu[popover]");
  if (menu && event.target.closest("a, button:not([data-theme])")) menu.hidePopover();
});
