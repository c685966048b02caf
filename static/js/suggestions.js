/* Suggested questions. A click puts one into the composer, together with where it was taken from (the server
   drops that when the words were changed), and sends it behind an answer. What was seen and closed is reported. */
import { box, form } from "./composer.js";

const BATCH_MS = 1500;
const MOST = 50;
const waiting = new Map();
const seen = new Set();
let timer = 0;

/* --- reports --- */

function report(address, event) {
  const events = waiting.get(address) ?? [];
  waiting.set(address, [...events, event]);
  timer ||= setTimeout(flush, BATCH_MS);
}

function flush() {
  clearTimeout(timer);
  timer = 0;
  const headers = { "Content-Type": "application/json", ...JSON.parse(document.body.getAttribute("hx-headers")) };
  for (const [address, events] of waiting) {
    const body = JSON.stringify({ events: events.slice(0, MOST) });
    fetch(address, { method: "POST", headers, body, keepalive: true }).catch(() => {}); // a count, no more
  }
  waiting.clear();
}

addEventListener("pagehide", flush);

const watcher = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      const place = target.closest("[data-suggestions]");
      if (!isIntersecting || !place) continue;
      watcher.unobserve(target);
      const name = `${place.dataset.suggestions} ${target.dataset.suggestion}`;
      if (seen.has(name)) continue;
      seen.add(name);
      report(place.dataset.events, {
        set: place.dataset.suggestions,
        action: "impression",
        key: target.dataset.suggestion,
      });
    }
  },
  { threshold: 0.6 },
);

function watch(root) {
  for (const button of root.querySelectorAll("[data-suggestion]")) watcher.observe(button);
}

/* --- clicks --- */

function note(name, value) {
  const field = form.elements[name] ?? document.createElement("input");
  Object.assign(field, { type: "hidden", name, value });
  form.append(field);
}

function take(button) {
  // Starters of an agent that another space shares belong to no set: nothing is counted of them.
  const set = button.closest("[data-suggestions]")?.dataset.suggestions ?? "";
  note("suggestion_set", set);
  note("suggestion_key", set && button.dataset.suggestion);
  box.value = button.textContent.trim();
  box.focus();
  if ("send" in button.dataset) form.requestSubmit(form.querySelector("[type=submit]"));
}

function close(place) {
  report(place.dataset.events, { set: place.dataset.suggestions, action: "dismiss" });
  place.replaceChildren();
  box.focus();
}

if (form) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-suggestion]");
    if (button) take(button);
    const closer = event.target.closest("[data-suggestions-close]");
    if (closer) close(closer.closest("[data-suggestions]"));
  });
  form.addEventListener("submit", () => {
    setTimeout(() => {
      for (const field of form.querySelectorAll("input[name^=suggestion_]")) field.remove();
    });
  });
  watch(document);
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) if (node instanceof Element) watch(node.parentElement ?? node);
    }
  }).observe(document.getElementById("main"), { childList: true, subtree: true });
}
