/* Uploads: three requests at a time, one line a file in the tray, failures say what and what next. */
import { chosen, dropped, readable } from "./files.js";
import { onPaste } from "./paste.js";
import { fileSize, fill } from "./strings.js";
import { beginBatch, endBatch } from "./upload-batch.js";
import { onDrop } from "./upload-drop.js";
import { clear, fail, itemOf, progress, show, states } from "./upload-lines.js";

const PARALLEL = 3;
const TRIES = 3;
const PAUSE_MS = 1000;
const HOLD_MS = 10_000;
const REFRESH_MS = 800;
const TRY_AGAIN_STATUS = new Set([0, 502, 503, 504]);
const TOO_MANY_STATUS = 429;

const form = document.getElementById("upload");
const tray = document.getElementById("tray");
const list = document.getElementById("tray-list");
const line = document.getElementById("tray-batch");
const limit = Number(form.dataset.maxBytes);
const open = new Map(); // batch: its items
let held = 0; // until when nothing is sent, because the server asked for patience

/* --- one file --- */

function add({ file, folder: below, source = "file" }, batch) {
  const folder = [form.dataset.folderPath, below].filter(Boolean).join("/");
  const name = folder ? `${folder}/${file.name}` : file.name;
  const item = { file, folder, source, name, batch, tries: 0, request: null, node: null, state: "", problem: "" };
  open.get(batch)?.push(item);
  const problem = unfit(file);
  if (problem) fail(item, problem);
  else show(item, "waiting", tray.dataset.waiting);
}

function unfit(file) {
  if (file.size === 0) return tray.dataset.empty;
  if (file.size <= limit) return "";
  return fill(tray.dataset.tooLarge, { size: fileSize(file.size), limit: fileSize(limit) });
}

function send(item) {
  const body = new FormData();
  body.append("file", item.file);
  body.append("folder_path", item.folder);
  body.append("source", item.source);
  if (item.batch) body.append("batch", item.batch.id);
  const request = new XMLHttpRequest(); // fetch tells nothing about the progress of an upload
  item.request = request;
  item.tries += 1;
  show(item, "sending");
  request.upload.addEventListener("progress", (event) => progress(item, event));
  request.addEventListener("load", () => answered(item, request));
  request.addEventListener("error", () => answered(item, request));
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("X-CSRFToken", form.elements.csrfmiddlewaretoken.value);
  request.send(body);
}

async function answered(item, request) {
  if (request.status >= 200 && request.status < 300) {
    show(item, "done", tray.dataset.done);
    refreshSoon();
  } else if (request.status === TOO_MANY_STATUS) {
    wait(item, request);
  } else if (TRY_AGAIN_STATUS.has(request.status) && item.tries < TRIES && (await readable(item.file))) {
    setTimeout(() => item.state === "sending" && send(item), PAUSE_MS * item.tries);
    return;
  } else if (request.status === 0) {
    fail(item, (await readable(item.file)) ? tray.dataset.offline : tray.dataset.unreadable);
  } else {
    fail(item, messageOf(request) || tray.dataset.refused);
  }
  next();
}

/* Too many at once is no failure: it goes on when the server said it may. */
function wait(item, request) {
  const seconds = Number(request.getResponseHeader("Retry-After"));
  const pause = seconds > 0 ? seconds * 1000 : HOLD_MS;
  item.tries = 0;
  held = Math.max(held, Date.now() + pause);
  show(item, "waiting", tray.dataset.held);
  setTimeout(next, pause + 50);
}

function messageOf(request) {
  try {
    return JSON.parse(request.responseText).error.message;
  } catch {
    return ""; // not from our server: a proxy's page, say
  }
}

/* --- all of them --- */

function first(items, number) {
  const found = [];
  for (const item of items) {
    if (found.length >= number) break;
    found.push(item);
  }
  return found;
}

function next() {
  const free = Date.now() < held ? 0 : PARALLEL - states.sending.size;
  for (const item of first(states.waiting, free)) send(item);
  const [sent, failed] = [states.done.size, states.failed.size];
  const settled = sent + failed;
  const total = settled + states.waiting.size + states.sending.size;
  tray.hidden = total === 0;
  const pattern = settled < total ? tray.dataset.sending : failed ? tray.dataset.partly : tray.dataset.sent;
  const title = fill(pattern, { number: Math.min(total, settled + 1), sent, total });
  const heading = document.getElementById("tray-title");
  if (heading.textContent !== title) heading.textContent = title;
  if (settled === total) for (const [batch, items] of open) tellEnd(batch, items);
}

function tellEnd(batch, items) {
  const failed = items.filter((item) => item.state === "failed").map((item) => [item.name, item.problem]);
  if (batch.told === failed.length) return;
  batch.told = failed.length;
  endBatch(batch, failed);
}

let refresh = 0;
function refreshSoon() {
  refresh ||= setTimeout(() => {
    refresh = 0;
    document.body.dispatchEvent(new CustomEvent("documents"));
  }, REFRESH_MS);
}

async function addAll(files) {
  const all = [];
  for await (const each of files) all.push(each);
  const { go, batch } = await beginBatch(all);
  if (!go) return;
  if (batch) open.set(batch, []);
  for (const each of all) add(each, batch);
  next();
}

function stop(item) {
  item.request?.abort();
  fail(item, tray.dataset.stopped);
}

function close() {
  for (const item of [...states.waiting, ...states.sending]) stop(item);
  for (const [batch, items] of open) tellEnd(batch, items);
  clear();
  open.clear();
  line?.replaceChildren();
  next();
}

function again(item) {
  item.tries = 0;
  if (!unfit(item.file)) show(item, "waiting", tray.dataset.waiting);
  next();
}

tray.addEventListener("click", (event) => {
  const item = itemOf(event.target.closest("li"));
  const fold = event.target.closest("[data-tray-fold]");
  if (event.target.closest("[data-tray-stop]")) {
    stop(item);
    next();
  } else if (event.target.closest("[data-tray-retry]")) again(item);
  else if (event.target.closest("[data-tray-close]")) close();
  else if (fold) {
    list.hidden = fold.getAttribute("aria-expanded") === "true";
    fold.setAttribute("aria-expanded", String(!list.hidden));
  }
});

function take(input) {
  addAll(chosen(input));
  input.value = "";
}

form.addEventListener("change", (event) => take(event.target));
/* Files that were chosen before this script had come. */
for (const input of form.querySelectorAll("input[type=file]")) if (input.files.length) take(input);

onDrop(document.getElementById("drop-veil"), (transfer) => addAll(dropped(transfer)));
onPaste(form, tray, addAll);

const underWay = () => states.sending.size || states.waiting.size;
addEventListener("beforeunload", (event) => underWay() && event.preventDefault());
