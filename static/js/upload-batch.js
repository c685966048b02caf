/* Files that come together are a batch: a large one is estimated and asked for, each is told when all have come. */
import { toast } from "./notify.js";

const form = document.getElementById("upload");
const dialog = document.getElementById("batch-estimate");
const line = document.getElementById("tray-batch");
const MOST_TOLD = 1000;

async function post(url, fields) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const headers = { Accept: "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
  const response = await fetch(url, { method: "POST", body, headers });
  if (response.ok) return response;
  const told = await response.json().catch(() => null); // a proxy's page is no message
  throw new Error(told?.error?.message ?? dialog.dataset.offline);
}

/* Names stay here: an estimate needs endings and sizes. */
const described = (files) =>
  JSON.stringify(files.map(({ file }) => [/\.([^.]{1,10})$/.exec(file.name)?.[1] ?? "", String(file.size)]));

function isLarge(files) {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  return files.length > Number(form.dataset.batchFiles) || bytes > Number(form.dataset.batchBytes);
}

/* Shows what it will take; resolves to the limits that were set, or null when it is not wanted. */
async function ask(files) {
  const place = dialog.querySelector("[data-estimate]");
  const response = await post(dialog.dataset.url, { files: described(files) });
  place.replaceChildren(document.createRange().createContextualFragment(await response.text()));
  dialog.showModal();
  return new Promise((resolve) => {
    const asked = dialog.querySelector("form");
    let caps = null;
    asked.onsubmit = (event) => {
      event.preventDefault();
      caps = Object.fromEntries(new FormData(asked));
      dialog.close();
    };
    dialog.addEventListener("close", () => resolve(caps), { once: true });
  });
}

/** Begins a batch for files; returns {go: false} when they are not to be sent, {go, batch} otherwise. */
export async function beginBatch(files) {
  const large = isLarge(files);
  if (files.length < 2 && !large) return { go: true, batch: null };
  try {
    const caps = large ? await ask(files) : {};
    if (caps === null) return { go: false };
    const response = await post(dialog.dataset.begin, { files: described(files), ...caps });
    const batch = await response.json();
    if (line) htmx.ajax("GET", `${batch.url}?part=line`, { target: line, swap: "innerHTML" });
    return { go: true, batch };
  } catch (problem) {
    if (!large) return { go: true, batch: null }; // some files are taken without one
    toast(problem.message, "error");
    return { go: false };
  }
}

/** Tells that no more files come, and which did not arrive: [[name, reason]]. */
export async function endBatch(batch, failed) {
  try {
    await post(`${batch.url}uploads/`, { failed: JSON.stringify(failed.slice(0, MOST_TOLD)) });
  } catch {
    /* The batch ends by itself a while after its last file. */
  }
}
