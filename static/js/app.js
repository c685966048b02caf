/* What every page can do: drawer, dialogs, menus, toasts, copy, citations, code colours.
   Behaviour hangs on data attributes and is delegated, so swapped-in nodes need no set-up. */
import "./cite.js";
import { highlight } from "./highlight.js";
import { say, toast } from "./notify.js";
import "./pictures.js";
import "./popover.js";
import { fill, text } from "./strings.js";
import { localTimes } from "./times.js";

const COPIED_MS = 1500;
const drawer = document.getElementById("drawer");
const sidebar = document.getElementById("sidebar");

/* On narrow screens the sidebar itself moves into a modal dialog, and back. */
function openDrawer() {
  drawer.append(sidebar);
  drawer.showModal();
}

drawer?.addEventListener("close", () => document.querySelector(".app").prepend(sidebar));
matchMedia("(min-width: 861px)").addEventListener("change", (event) => {
  if (event.matches && drawer?.open) drawer.close();
});

/* One dialog serves many rows: the button says what for. */
function openDialog({ dataset: { dialog: id, dialogAction, dialogName } }) {
  const dialog = document.getElementById(id);
  if (dialogAction) dialog.querySelector("form").action = dialogAction;
  const subject = dialog.querySelector("[data-subject]");
  if (subject && dialogName) subject.textContent = dialogName;
  dialog.showModal();
}

async function toClipboard(source) {
  source.classList.add("is-copied"); // without the marks at its sentences
  try {
    await navigator.clipboard.writeText(source.innerText);
    return true;
  } catch {
    getSelection().selectAllChildren(source); // plain http has no clipboard API
    const copied = document.execCommand("copy");
    getSelection().removeAllRanges();
    return copied;
  } finally {
    source.classList.remove("is-copied");
  }
}

async function copy(button) {
  const source = button.dataset.copy
    ? document.getElementById(button.dataset.copy)
    : button.closest(".code").querySelector("code");
  if (!(await toClipboard(source))) {
    toast(text("failed"), "error");
    return;
  }
  say(text("copied"));
  const label = button.querySelector("[data-label]") ?? (button.childElementCount ? null : button);
  if (!label) {
    toast(text("copied"), "success");
    return;
  }
  const before = label.textContent;
  label.textContent = text("copied");
  setTimeout(() => (label.textContent = before), COPIED_MS);
}

function reveal(button) {
  const input = document.getElementById(button.dataset.reveal);
  const shown = input.type === "password";
  input.type = shown ? "text" : "password";
  button.setAttribute("aria-pressed", String(shown));
}

document.addEventListener("click", (event) => {
  const hit = (selector) => event.target.closest(selector);
  let found;
  if (hit("[data-drawer]")) openDrawer();
  else if (event.target instanceof HTMLDialogElement) event.target.close();
  else if ((found = hit("[data-dialog]"))) openDialog(found);
  else if ((found = hit("[data-close]"))) found.closest("dialog").close();
  else if (hit("[data-close-panel]")) document.getElementById("panel").replaceChildren();
  else if ((found = hit("[data-copy]"))) copy(found);
  else if ((found = hit("[data-reveal]"))) reveal(found);
});

/* A form is sent once: its button shows that it works. */
document.addEventListener("submit", (event) => {
  const button = event.submitter?.closest("[data-once]");
  if (!button || event.defaultPrevented) return;
  if (button.getAttribute("aria-busy") === "true") event.preventDefault();
  button.setAttribute("aria-busy", "true");
});
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-once][aria-busy]")) button.removeAttribute("aria-busy");
});

/* The value beside a slider. */
document.addEventListener("input", (event) => {
  const output = event.target.matches?.("input[type=range]") && event.target.form?.querySelector(`output[for="${event.target.id}"]`);
  if (output) output.textContent = fill(output.dataset.pattern ?? "{value}", { value: event.target.value });
});

/* htmx: toasts from HX-Trigger, errors that were not swapped in. */
document.addEventListener("toast", (event) => toast(event.detail.text, event.detail.level));
document.addEventListener("htmx:responseError", (event) => {
  const { xhr } = event.detail;
  if (xhr.getResponseHeader("HX-Trigger")) return;
  const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
  toast(page.querySelector("[data-message]")?.textContent || text("failed"), "error");
});
document.addEventListener("htmx:sendError", () => toast(text("offline"), "error"));
document.addEventListener("htmx:afterSwap", (event) => highlight(event.detail.target));

highlight();
localTimes();
document.querySelector("[data-scroll-to]")?.scrollIntoView({ block: "center" });
