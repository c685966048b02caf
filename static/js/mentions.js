/* The @ menu of the composer: bases and documents that the chosen agent can read limit the question.
   The text box keeps the focus; the list beside it is told by aria-activedescendant. */
import { box, form } from "./composer.js";
import { say } from "./notify.js";
import { place } from "./popover.js";
import { fill } from "./strings.js";

const WAIT_MS = 150;
/* Behind a letter or digit an @ belongs to an address. */
const TYPED = /(?<![\w.%+-])@([^\s@]{0,60})$/u;
const NOBODY = "00000000-0000-0000-0000-000000000000";
const list = document.getElementById("mention-list");
const chips = document.getElementById("mentions");
let timer = 0;
let asked = null;

const isOpen = () => list.matches(":popover-open");
const options = () => [...list.querySelectorAll("[data-id]")];
const current = () => list.querySelector("[aria-selected=true]");

function typed() {
  if (box.selectionStart !== box.selectionEnd) return null;
  return TYPED.exec(box.value.slice(0, box.selectionStart));
}

function close() {
  asked?.abort();
  clearTimeout(timer);
  box.removeAttribute("aria-activedescendant");
  if (isOpen()) list.hidePopover();
}

async function open(search) {
  asked?.abort();
  asked = new AbortController();
  const address = form.dataset.mentions.replace(NOBODY, form.elements.agent_id.value);
  try {
    const response = await fetch(`${address}?q=${encodeURIComponent(search)}`, { signal: asked.signal });
    if (!response.ok || !typed()) return close();
    list.innerHTML = await response.text(); // from our server
  } catch (error) {
    if (error.name !== "AbortError") close();
    return;
  }
  if (!isOpen()) list.showPopover();
  place(list, form);
  select(options()[0]);
  say(fill(list.dataset.said, { count: options().length }));
}

function select(option) {
  current()?.setAttribute("aria-selected", "false");
  if (!option) return box.removeAttribute("aria-activedescendant");
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", option.id);
}

function step(by) {
  const all = options();
  if (all.length) select(all[(all.indexOf(current()) + by + all.length) % all.length]);
}

/** Takes an option: what was typed goes, its chip comes. */
function take({ dataset: { kind, id, name } }) {
  const found = typed();
  if (found) box.setRangeText("", box.selectionStart - found[0].length, box.selectionStart, "end");
  close();
  const value = `${kind}:${id}`;
  if (![...chips.querySelectorAll("input")].some((input) => input.value === value)) {
    const chip = document.getElementById("mention-chip").content.firstElementChild.cloneNode(true);
    chip.querySelector("[data-name]").textContent = name;
    chip.querySelector("input").value = value;
    const button = chip.querySelector("button");
    button.setAttribute("aria-label", fill(button.dataset.label, { name }));
    chips.append(chip);
    say(fill(list.dataset.added, { name }));
  }
  box.focus();
}

/** Forgets the chips, when the question was sent. */
export function clearMentions() {
  chips.replaceChildren();
}

const KEYS = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Enter: () => current() && take(current()),
  Tab: () => current() && take(current()),
  Escape: close,
};

if (form && list) {
  box.addEventListener("input", () => {
    const found = typed();
    clearTimeout(timer);
    if (found) timer = setTimeout(open, WAIT_MS, found[1]);
    else close();
  });
  // Before the composer's own keys: Enter takes an option instead of sending.
  form.addEventListener(
    "keydown",
    (event) => {
      if (event.target !== box || !isOpen() || event.isComposing || !KEYS[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      KEYS[event.key]();
    },
    { capture: true },
  );
  box.addEventListener("blur", () => setTimeout(() => document.activeElement !== box && close(), 100));
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[data-id]");
    if (option) take(option);
  });
  addEventListener("resize", () => isOpen() && place(list, form));
  chips.addEventListener("click", (event) => {
    if (!event.target.closest("[data-remove-mention]")) return;
    event.target.closest("li").remove();
    box.focus();
  });
  form.addEventListener("change", (event) => event.target.name === "agent_id" && close());
}
