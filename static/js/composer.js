/* The box where questions are written: keys, starters, base picker. Used by the chat and the new-chat page. */
import { fill } from "./strings.js";

export const form = document.getElementById("composer");
export const box = document.getElementById("prompt");
const IME_KEY = 229;

/** Returns what the form says, ready for the socket. */
export function question() {
  const data = new FormData(form);
  return {
    text: box.value.trim(),
    agent_id: data.get("agent_id") ?? "",
    base_ids: data.getAll("base_ids"),
    client_id: newClientId(),
    mentions: data.getAll("mentions").map((written) => {
      const [kind, id] = written.split(":");
      return { kind, id };
    }),
    ...takenFrom(data),
  };
}

/* The suggestion that was clicked instead of typing. */
function takenFrom(data) {
  const set = data.get("suggestion_set");
  return set ? { suggestion_set: set, suggestion_key: data.get("suggestion_key") } : {};
}

/* Not crypto.randomUUID: that is missing on plain http addresses of a local network. */
function newClientId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function updatePicker(picker) {
  const label = document.getElementById(picker.dataset.labels);
  const names = [...picker.querySelectorAll("input:checked")].map((input) => input.dataset.name);
  const pattern = [label.dataset.none, label.dataset.one, label.dataset.many][Math.min(names.length, 2)];
  label.textContent = fill(pattern, { name: names[0], count: names.length - 1 });
}

/* What keeps the chosen agent from answering, or from answering well. */
function showProblem() {
  const note = document.getElementById("agent-problem");
  const chosen = form.elements.agent_id?.selectedOptions?.[0];
  note.textContent = chosen?.dataset.problem ?? "";
  note.hidden = !note.textContent;
  note.classList.toggle("is-blocked", chosen?.dataset.blocked !== undefined);
}

if (form) {
  showProblem();
  form.addEventListener("change", (event) => event.target.name === "agent_id" && showProblem());
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === IME_KEY) return;
    event.preventDefault();
    if (form.dataset.state !== "running" && box.value.trim()) form.requestSubmit(form.querySelector("[type=submit]"));
  });
  form.addEventListener("change", (event) => {
    const picker = event.target.closest("[data-labels]");
    if (picker) updatePicker(picker);
  });
  for (const picker of form.querySelectorAll("[data-labels]")) updatePicker(picker);
  document.addEventListener("click", (event) => {
    const starter = event.target.closest("[data-ask]");
    if (!starter) return;
    box.value = starter.dataset.ask;
    box.focus();
  });
}
