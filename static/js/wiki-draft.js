/* Keeps what is being written: a moment after a change, and every half minute so that others see who writes.
   Leaving with something that was not kept asks first. */
import { text } from "./strings.js";

const SOON_MS = 1500;
const BEAT_MS = 30_000;

/** Watches a form whose `data-draft` is where drafts go. */
export function watchDraft(form) {
  const line = form.querySelector("[data-draft-line]");
  let timer = 0;
  let isDirty = false;
  let isSent = false;
  let running = null;

  async function keep() {
    if (isSent || !form.dataset.draft) return; // guests have no drafts; leaving still asks
    clearTimeout(timer);
    running?.abort();
    running = new AbortController();
    const data = new FormData(form);
    const wasDirty = isDirty;
    isDirty = false;
    if (wasDirty) data.set("is_changed", "1");
    try {
      const response = await fetch(form.dataset.draft, { method: "POST", body: data, signal: running.signal });
      if (!response.ok) throw new Error(response.statusText);
      line.innerHTML = await response.text(); // from our server
      const id = line.querySelector("[data-draft-id]")?.dataset.draftId;
      if (id) form.elements.draft.value = id;
    } catch (error) {
      if (error.name === "AbortError") return;
      isDirty ||= wasDirty;
      if (wasDirty) line.textContent = text("offline");
      timer = setTimeout(keep, BEAT_MS / 3);
    }
  }

  form.addEventListener("input", (event) => {
    if (event.target.type === "file") return;
    isDirty = true;
    clearTimeout(timer);
    timer = setTimeout(keep, SOON_MS);
  });
  form.addEventListener("submit", () => {
    isSent = true;
    running?.abort();
  });
  addEventListener("pageshow", () => (isSent = false));
  addEventListener("beforeunload", (event) => {
    if (isDirty && !isSent) event.preventDefault();
  });
  setInterval(() => document.visibilityState === "visible" && keep(), BEAT_MS);
}
