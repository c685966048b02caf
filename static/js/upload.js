/* Uploads: three requests at a time, one line a file in the tray, failures say what and what next. */
import { chosen, dropped } from "./files.js";
import { fileSize, fill } from "./strings.js";

const PARALLEL = 3;
const TRIES = 3;
const PAUSE_MS = 1000;
const REFRESH_MS = 800;
const TRY_AGAIN_STATUS = new Set([0, 429, 502, 503, 504]);

const form = document.getElementById("upload");
const tray = document.getElementById("tray");
const list = document.getElementById("tray-list");
const veil = document.getElementById("drop-veil");
const limit = Number(form.dataset.maxBytes);
const items = new Map();

/* --- one file --- */

function add({ file, folder }) {
  const node = document.getElementById("tray-item").content.firstElementChild.cloneNode(true);
  const name = folder ? `${folder}/${file.name}` : file.name;
  node.querySelector("[data-name]").textContent = name;
  node.querySelector("progress").setAttribute("aria-label", name);
  list.append(node);
  items.set(node, { file, folder, node, tries: 0, request: null });
  const problem = unfit(file);
  if (problem) fail(items.get(node), problem);
  else show(node, "waiting", tray.dataset.waiting);
}

function unfit(file) {
  if (file.size === 0) return tray.dataset.empty;
  if (file.size <= limit) return "";
  return fill(tray.dataset.tooLarge, { size: fileSize(file.size), limit: fileSize(limit) });
}

function show(node, state, note = "") {
  node.dataset.state = state;
  node.querySelector("[data-note]").textContent = note;
}

function fail(item, problem) {
  item.node.querySelector("[data-problem]").textContent = problem;
  show(item.node, "failed");
}

function progress(item, { loaded, total }) {
  const sent = Math.min(item.file.size, (loaded / total) * item.file.size);
  item.node.querySelector("progress").value = (100 * loaded) / total;
  show(item.node, "sending", fill(tray.dataset.progress, { sent: fileSize(sent), size: fileSize(item.file.size) }));
}

function send(item) {
  const body = new FormData();
  body.append("file", item.file);
  body.append("folder_path", item.folder);
  const request = new XMLHttpRequest(); // fetch tells nothing about the progress of an upload
  item.request = request;
  item.tries += 1;
  show(item.node, "sending");
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
    show(item.node, "done", tray.dataset.done);
    refreshSoon();
  } else if (TRY_AGAIN_STATUS.has(request.status) && item.tries < TRIES && (await readable(item.file))) {
    setTimeout(() => item.node.dataset.state === "sending" && send(item), PAUSE_MS * item.tries);
    return;
  } else if (request.status === 0) {
    fail(item, (await readable(item.file)) ? tray.dataset.offline : tray.dataset.unreadable);
  } else {
    fail(item, messageOf(request) || tray.dataset.refused);
  }
  next();
}

function messageOf(request) {
  try {
    return JSON.parse(request.responseText).error.message;
  } catch {
    return ""; // not from our server: a proxy's page, say
  }
}

/* A file that was changed or moved after it was chosen fails like a lost connection. */
async function readable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/* --- all of them --- */

const inState = (state) => [...items.values()].filter((item) => item.node.dataset.state === state);

function next() {
  const free = PARALLEL - inState("sending").length;
  inState("waiting").slice(0, Math.max(0, free)).forEach(send);
  const [sent, failed] = [inState("done").length, inState("failed").length];
  const total = items.size;
  tray.hidden = total === 0;
  const pattern = sent + failed < total ? tray.dataset.sending : failed ? tray.dataset.partly : tray.dataset.sent;
  const title = fill(pattern, { number: Math.min(total, sent + failed + 1), sent, total });
  const heading = document.getElementById("tray-title");
  if (heading.textContent !== title) heading.textContent = title;
}

let refresh = 0;
function refreshSoon() {
  refresh ||= setTimeout(() => {
    refresh = 0;
    document.body.dispatchEvent(new CustomEvent("documents"));
  }, REFRESH_MS);
}

async function addAll(files) {
  for await (const each of files) add(each);
  next();
}

function stop(item) {
  item.request?.abort();
  fail(item, tray.dataset.stopped);
  next();
}

tray.addEventListener("click", (event) => {
  const item = items.get(event.target.closest("li"));
  const fold = event.target.closest("[data-tray-fold]");
  if (event.target.closest("[data-tray-stop]")) stop(item);
  else if (event.target.closest("[data-tray-retry]")) {
    item.tries = 0;
    const problem = unfit(item.file);
    if (!problem) show(item.node, "waiting", tray.dataset.waiting);
    next();
  } else if (fold) {
    list.hidden = fold.getAttribute("aria-expanded") === "true";
    fold.setAttribute("aria-expanded", String(!list.hidden));
  } else if (event.target.closest("[data-tray-close]")) {
    for (const each of [...inState("waiting"), ...inState("sending")]) stop(each);
    items.clear();
    list.replaceChildren();
    next();
  }
});

function take(input) {
  addAll(chosen(input));
  input.value = "";
}

form.addEventListener("change", (event) => take(event.target));
/* Files that were chosen before this script had come. */
for (const input of form.querySelectorAll("input[type=file]")) if (input.files.length) take(input);

/* The whole page takes drops. */
let depth = 0;
const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
const veiled = (change) => {
  depth = Math.max(0, depth + change);
  veil.hidden = depth === 0;
};
document.addEventListener("dragenter", (event) => carriesFiles(event) && veiled(1));
document.addEventListener("dragleave", (event) => carriesFiles(event) && veiled(-1));
document.addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
document.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  veiled(-depth);
  addAll(dropped(event.dataTransfer));
});

addEventListener("beforeunload", (event) => inState("sending").length && event.preventDefault());
