/* The tree of a wiki: which folders are open, moving by drag and drop, the drawer on phones; and where one
   reads within a page. Whatever the pointer can do here has a button or a menu entry, too. */
import { fill } from "./strings.js";

const side = document.querySelector("[data-wiki-side]");
const drawer = document.getElementById("wiki-drawer");
const KEY = side && `wiki-open-${side.dataset.base}`;

function remembered() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
  } catch {
    return new Set();
  }
}

function restore() {
  const open = remembered();
  for (const folder of side.querySelectorAll("details[data-folder]")) {
    if (open.has(folder.dataset.folder)) folder.open = true;
  }
}

/* "toggle" does not bubble, hence the capture. */
function remember(event) {
  const { folder } = event.target.dataset ?? {};
  if (!folder) return;
  const open = remembered();
  if (event.target.open) open.add(folder);
  else open.delete(folder);
  localStorage.setItem(KEY, JSON.stringify([...open]));
}

/** Asks whether something goes into a folder; the dialog's form does it. */
function askToMove(dragged, folder, place) {
  const dialog = document.getElementById("wiki-move-dialog");
  const form = dialog.querySelector("form");
  form.action = dragged.dataset.moveUrl;
  form.elements.folder.value = folder;
  dialog.querySelector("[data-question]").textContent = fill(dialog.dataset.question, {
    name: dragged.dataset.name,
    place,
  });
  dialog.showModal();
}

function dragging() {
  let dragged = null;
  const target = (event) => dragged && event.target.closest("[data-drop]");
  const clear = () => side.querySelectorAll(".is-over").forEach((each) => each.classList.remove("is-over"));
  side.addEventListener("dragstart", (event) => {
    dragged = event.target.closest("[data-move-url]");
    if (!dragged) return;
    dragged.classList.add("is-dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.name);
  });
  side.addEventListener("dragover", (event) => {
    const over = target(event);
    clear();
    if (!over || over === dragged) return;
    event.preventDefault();
    over.classList.add("is-over");
  });
  side.addEventListener("dragend", () => {
    clear();
    dragged?.classList.remove("is-dragged");
    dragged = null;
  });
  side.addEventListener("drop", (event) => {
    const over = target(event);
    if (!over || over === dragged) return;
    event.preventDefault();
    askToMove(dragged, over.dataset.drop, over.dataset.place);
  });
}

/* "Move to…": the same dialog for every line, filled by the button. */
function openMove(button) {
  const dialog = document.getElementById("wiki-move-to");
  const form = dialog.querySelector("form");
  form.action = button.dataset.moveTo;
  form.elements.folder.value = button.dataset.from ?? "";
  for (const option of form.elements.folder.options) option.disabled = Boolean(button.dataset.own) && option.value === button.dataset.own;
  dialog.querySelector("[data-subject]").textContent = button.dataset.name;
  dialog.showModal();
}

function openFolder(button) {
  const dialog = document.getElementById(button.dataset.folderDialog);
  const form = dialog.querySelector("form");
  form.action = button.dataset.url;
  if (form.elements.name) form.elements.name.value = button.dataset.value ?? "";
  if (form.elements.parent) form.elements.parent.value = button.dataset.parent ?? "";
  dialog.querySelector("[data-subject]").textContent = button.dataset.name ?? "";
  dialog.showModal();
}

function follow() {
  const links = new Map([...document.querySelectorAll(".wiki-contents a")].map((a) => [a.hash.slice(1), a]));
  if (!links.size) return;
  const heads = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const scroller = document.querySelector("main > .scroll");
  let asked = false;
  const mark = () => {
    asked = false;
    const line = scroller.getBoundingClientRect().top + 80;
    const now = heads.findLast((head) => head.getBoundingClientRect().top <= line) ?? heads[0];
    for (const [id, link] of links) {
      if (id === now.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  scroller.addEventListener("scroll", () => asked || ((asked = true), requestAnimationFrame(mark)), { passive: true });
  mark();
}

if (side) {
  restore();
  side.addEventListener("toggle", remember, true);
  dragging();
}
follow();
/* A form that opens where its field was filled in wrongly. */
document.querySelector("dialog[data-open-now]")?.showModal();

document.addEventListener("click", (event) => {
  const hit = (selector) => event.target.closest(selector);
  let found;
  if ((found = hit("[data-move-to]"))) openMove(found);
  else if ((found = hit("[data-folder-dialog]"))) openFolder(found);
  else if (hit("[data-wiki-drawer]")) {
    drawer.append(side);
    drawer.showModal();
  }
});
drawer?.addEventListener("close", () => document.querySelector(".wiki").prepend(side));
