/* The API's playground: fills in a route, sends it, shows the same as a command, and follows streams. */

const form = document.querySelector("[data-playground]");
const $ = (selector) => document.querySelector(selector);
let running = null;

if (form) {
  form.elements.route.addEventListener("change", choose);
  form.elements.key.addEventListener("change", () => {
    form.querySelector("[data-external]").hidden = !form.elements.key.value;
    showCommand();
  });
  form.addEventListener("input", showCommand);
  form.addEventListener("submit", send);
  form.querySelector("[data-stop]").addEventListener("click", () => running?.abort());
  choose();
}

function route() {
  return form.elements.route.selectedOptions[0].dataset;
}

function choose() {
  const place = form.querySelector(".try-pair[data-parameters]");
  const names = route().parameters.split(",").filter(Boolean);
  place.replaceChildren(...names.map(field));
  form.querySelector(".field[data-body]").hidden = !route().body;
  form.querySelector("[data-file]").hidden = !("form" in route());
  form.elements.body.value = route().body;
  showCommand();
}

function field(name) {
  const box = Object.assign(document.createElement("div"), { className: "field" });
  const id = `try-${name.replace(/\W/g, "")}`;
  const label = Object.assign(document.createElement("label"), { htmlFor: id, textContent: name.replace(/[{}]/g, "") });
  const input = Object.assign(document.createElement("input"), { id, className: "input", autocomplete: "off" });
  input.dataset.name = name;
  input.required = name.startsWith("{");
  box.append(label, input);
  return box;
}

function address() {
  let path = route().path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("[data-name]")) {
    const name = input.dataset.name;
    if (name.startsWith("{")) path = path.replace(name, encodeURIComponent(input.value.trim()) || name);
    else if (input.value.trim()) query.set(name, input.value.trim());
  }
  return String(query) ? `${path}?${query}` : path;
}

function showCommand() {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = [`curl -X ${route().method} ${quoted(location.origin + address())}`, `-H "X-API-Key: $WEKNORA_KEY"`];
  if ("form" in route()) parts.push(`-F ${quoted(`file=@${form.elements.file.files[0]?.name ?? "notes.txt"}`)}`);
  else if (route().body) parts.push(`-H 'Content-Type: application/json'`, `-d ${quoted(form.elements.body.value)}`);
  $("#try-curl").textContent = parts.join(" \\\n  ");
}

async function credentials() {
  if (!form.elements.key.value) return { "X-CSRFToken": form.dataset.csrf };
  const asked = new FormData();
  asked.set("subject", form.elements.subject.value.trim());
  const headers = { "X-CSRFToken": form.dataset.csrf, Accept: "application/json" };
  const response = await fetch(form.elements.key.value, { method: "POST", body: asked, headers });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message);
  return answer.headers;
}

function contents(headers) {
  if ("form" in route()) {
    const body = new FormData();
    if (form.elements.file.files[0]) body.set("file", form.elements.file.files[0]);
    return body;
  }
  if (!route().body) return undefined;
  headers["Content-Type"] = "application/json";
  return form.elements.body.value;
}

async function send(event) {
  event.preventDefault();
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const started = performance.now();
  $("#try-answer").textContent = "";
  $("[data-status]").textContent = form.dataset.running;
  form.querySelector("[data-stop]").hidden = false;
  try {
    const headers = await credentials();
    const body = contents(headers);
    const mine = form.elements.key.value ? "omit" : "same-origin";
    const response = await fetch(address(), { method: route().method, headers, body, signal, credentials: mine });
    const left = response.headers.get("RateLimit-Remaining");
    await show(response);
    const took = Math.round(performance.now() - started);
    const facts = [response.status, `${took} ms`, response.headers.get("X-Request-ID"), left && `RateLimit-Remaining: ${left}`];
    $("[data-status]").textContent = facts.filter(Boolean).join(" · ");
  } catch (error) {
    $("[data-status]").textContent = signal.aborted ? form.dataset.stopped : error.message || form.dataset.failed;
  } finally {
    form.querySelector("[data-stop]").hidden = true;
  }
}

async function show(response) {
  const out = $("#try-answer");
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    try {
      out.textContent = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      out.textContent = text;
    }
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    out.append(read.value);
    out.scrollTop = out.scrollHeight;
  }
}
