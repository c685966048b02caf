/* The agent editor: says when something is unsaved, fits bases and tools to each other, places in prompts, rules. */
const form = document.querySelector("[data-agent-form]");
const bar = document.querySelector("[data-save-bar]");
let leaving = false;

function markDirty() {
  if (!bar) return;
  bar.dataset.dirty = "";
  bar.querySelector("[data-unsaved]").hidden = false;
}

/* What was typed before this script came, or was restored by the browser. */
function differs(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.defaultValue !== undefined && field.value !== field.defaultValue;
}

function insertPlace({ dataset: { insert, into } }) {
  const field = document.getElementById(into);
  field.setRangeText(insert, field.selectionStart, field.selectionEnd, "end");
  field.focus();
  markDirty();
}

function addRule() {
  const template = document.getElementById("rule-template");
  const row = template.content.firstElementChild.cloneNode(true);
  document.getElementById("agent-rules").append(row);
  row.querySelector("[name=rule_argument]").focus();
}

function removeRule(button) {
  const row = button.closest(".rule");
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (next?.querySelector("[data-remove-rule]") ?? document.querySelector("[data-add-rule]")).focus();
  markDirty();
}

if (form) {
  if ([...form.elements].some(differs)) markDirty();
  form.addEventListener("input", markDirty);
  form.addEventListener("change", (event) => {
    markDirty();
    const decides = event.target.closest("[data-decides]") && !event.target.name.startsWith("approval_");
    if (decides) window.htmx.trigger("#agent-fits", "refit");
  });
  form.addEventListener("submit", () => (leaving = true));
  form.addEventListener("click", (event) => {
    const hit = (selector) => event.target.closest(selector);
    let found;
    if ((found = hit("[data-insert]"))) insertPlace(found);
    else if (hit("[data-add-rule]")) addRule();
    else if ((found = hit("[data-remove-rule]"))) removeRule(found);
    else if (hit("[data-discard]")) leaving = true;
  });
  addEventListener("beforeunload", (event) => {
    if (bar?.dataset.dirty !== undefined && !leaving) event.preventDefault();
  });
  form.querySelector("[aria-invalid=true]")?.focus();
}
