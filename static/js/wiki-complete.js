/* What may follow "[[": pages of the wiki by title, address or other name. The box keeps the focus. */
import { say } from "./notify.js";
import { fill } from "./strings.js";

const WAIT_MS = 120;
const TYPED = /\[\[([^[\]|\n]{0,80})$/;
const form = document.querySelector("[data-wiki-form]");
const box = form?.elements.content;
const list = document.getElementById("wiki-options");
let timer = 0;
let asked = null;

const isOpen = () => list.matches(":popover-open");
const options = () => [...list.querySelectorAll("[role=option]")];
const current = () => list.querySelector("[aria-selected=true]");
const typed = () => (box.selectionStart === box.selectionEnd ? TYPED.exec(box.value.slice(0, box.selectionStart)) : null);

function close() {
  asked?.abort();
  clearTimeout(timer);
  box.removeAttribute("aria-activedescendant");
  if (isOpen()) list.hidePopover();
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

/* Where the caret is: a copy of the box up to it is laid out unseen. */
function caret() {
  const copy = document.createElement("div");
  const seen = getComputedStyle(box);
  for (const name of ["font", "lineHeight", "padding", "letterSpacing"]) copy.style[name] = seen[name];
  Object.assign(copy.style, { position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", overflowWrap: "anywhere" });
  copy.style.inlineSize = `${box.clientWidth}px`;
  copy.textContent = box.value.slice(0, box.selectionStart);
  const end = copy.appendChild(document.createElement("span"));
  end.append("\u200b");
  document.body.append(copy);
  const at = { x: end.offsetLeft, y: end.offsetTop + end.offsetHeight };
  copy.remove();
  const seat = box.getBoundingClientRect();
  return { x: seat.left + at.x, y: seat.top + at.y - box.scrollTop };
}

function put() {
  const { x, y } = caret();
  const { offsetWidth: width, offsetHeight: height } = list;
  list.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
  list.style.top = `${y + height > innerHeight - 8 ? Math.max(8, y - height - 28) : y + 4}px`;
}

async function open(search) {
  asked?.abort();
  asked = new AbortController();
  try {
    const response = await fetch(`${form.dataset.complete}?q=${encodeURIComponent(search)}`, { signal: asked.signal });
    if (!response.ok || !typed()) return close();
    list.innerHTML = await response.text(); // from our server
  } catch (error) {
    if (error.name !== "AbortError") close();
    return;
  }
  if (!isOpen()) list.showPopover();
  put();
  select(options()[0]);
  say(fill(list.dataset.said, { count: options().length }));
}

function take({ dataset: { slug, title } }) {
  const found = typed();
  if (!found) return close();
  const end = box.selectionStart + (box.value.startsWith("]]", box.selectionStart) ? 2 : 0);
  box.focus();
  box.setSelectionRange(box.selectionStart - found[0].length, end);
  const link = `[[${slug}|${title.replace(/[[\]|]/g, " ")}]]`;
  if (!document.execCommand("insertText", false, link)) box.setRangeText(link, box.selectionStart, end, "end");
  close();
}

const KEYS = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Enter: () => current() && take(current()),
  Tab: () => current() && take(current()),
  Escape: close,
};

if (box && list) {
  box.addEventListener("input", () => {
    const found = typed();
    clearTimeout(timer);
    if (found) timer = setTimeout(open, WAIT_MS, found[1]);
    else if (isOpen()) close();
  });
  box.addEventListener(
    "keydown",
    (event) => {
      if (!isOpen() || event.isComposing || !KEYS[event.key]) return;
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      KEYS[event.key]();
    },
    { capture: true },
  );
  box.addEventListener("blur", () => setTimeout(() => document.activeElement !== box && close(), 100));
  box.addEventListener("scroll", () => isOpen() && put(), { passive: true });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });
}
