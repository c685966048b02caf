/* Applies frames to the page. Structural frames carry HTML that our server rendered, token frames text. */
import { highlight } from "./highlight.js";
import { say } from "./notify.js";
import { localTimes } from "./times.js";
import { StreamMarkdown } from "./stream-markdown.js";

const streams = new Map();

function find(target) {
  return target?.startsWith("#") ? document.getElementById(target.slice(1)) : null;
}

function enliven(node) {
  if (!(node instanceof Element)) return;
  window.htmx?.process(node);
  resumeStreams(node);
  localTimes(node);
  highlight(node);
}

/** Continues answers that the server rendered unfinished: their Markdown so far waits in a template. */
export function resumeStreams(root = document) {
  for (const template of root.querySelectorAll("template[data-markdown]")) {
    const answer = template.parentElement;
    const source = template.content.textContent;
    template.remove();
    if (!source) continue;
    streamIn(answer, answer.dataset.run).push(source);
    streams.get(answer).flush();
  }
}

function streamIn(element, runId) {
  if (!streams.has(element)) {
    streams.set(element, new StreamMarkdown(element, { runId, onBlock: (node) => highlight(node) }));
  }
  return streams.get(element);
}

function endStream(element, html) {
  const stream = streams.get(element) ?? new StreamMarkdown(element);
  stream.end(html);
  streams.delete(element);
  enliven(element);
}

function fragmentOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html; // from our server
  return template.content;
}

/* What is there already is replaced: a frame that comes twice (another tab, a reload) adds nothing. */
function append(element, frame) {
  for (const node of [...fragmentOf(frame.html).children]) {
    const old = node.id && document.getElementById(node.id);
    if (old) old.replaceWith(node);
    else element.append(node);
    enliven(node);
  }
}

function replace(element, frame) {
  const [fresh] = fragmentOf(frame.html).children;
  if (element.open && fresh.matches("details")) fresh.open = true;
  element.replaceWith(fresh);
  enliven(fresh);
}

function renameTab(words) {
  const suffix = document.title.lastIndexOf(" · ");
  document.title = words + (suffix < 0 ? "" : document.title.slice(suffix));
}

const OPS = {
  append,
  replace,
  html: (element, frame) => {
    element.replaceChildren(fragmentOf(frame.html));
    enliven(element);
  },
  text: (element, frame) => element.append(frame.text),
  state: (element, frame) => {
    element.classList.remove("is-live", "is-ok", "is-wait", "is-bad");
    element.classList.add(frame.cls);
  },
  close: (element) => element.removeAttribute("open"),
  remove: (element) => element.remove(),
  md: (element, frame) => streamIn(element, frame.run).push(frame.text),
  "md.end": (element, frame) => endStream(element, frame.html),
  busy: (element) => endStream(element, null),
};

const PAGE_OPS = {
  say: (frame) => say(frame.text, frame.level),
  title: (frame) => renameTab(frame.text),
  event: (frame) => document.body.dispatchEvent(new CustomEvent(frame.name, { bubbles: true })),
};

/** Applies frames in their order, and renders what streams, once. Unknown operations are left to others. */
export function applyFrames(frames) {
  for (const frame of frames) {
    if (PAGE_OPS[frame.op]) PAGE_OPS[frame.op](frame);
    const element = OPS[frame.op] && find(frame.to);
    if (element) OPS[frame.op](element, frame);
  }
  for (const [element, stream] of streams) {
    if (element.isConnected) stream.flush();
    else streams.delete(element);
  }
}
