/* Writing a wiki page: the toolbar, the preview, pictures that are pasted or dropped, keys. */
import "./wiki-complete.js";
import { watchDraft } from "./wiki-draft.js";
import { say, toast } from "./notify.js";
import { fill, text } from "./strings.js";

const form = document.querySelector("[data-wiki-form]");
const box = form?.elements.content;

/** Puts text into the box as if it was typed: undo takes it back, others hear of it. */
export function write(replacement, start = box.selectionStart, end = box.selectionEnd) {
  box.focus();
  box.setSelectionRange(start, end);
  if (!document.execCommand("insertText", false, replacement)) box.setRangeText(replacement, start, end, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

function around(mark, after = mark) {
  const { selectionStart: start, selectionEnd: end } = box;
  const chosen = box.value.slice(start, end);
  write(`${mark}${chosen}${after}`);
  box.setSelectionRange(start + mark.length, start + mark.length + chosen.length);
}

/** Begins each chosen line with a mark; takes it away when all have it. */
function atLines(mark) {
  const start = box.value.lastIndexOf("\n", box.selectionStart - 1) + 1;
  const found = box.value.indexOf("\n", box.selectionEnd);
  const end = found < 0 ? box.value.length : found;
  const lines = box.value.slice(start, end).split("\n");
  const has = lines.every((line) => line.startsWith(mark));
  write(lines.map((line, n) => (has ? line.slice(mark.length) : `${mark === "1. " ? `${n + 1}. ` : mark}${line}`)).join("\n"), start, end);
}

const TOOLS = {
  bold: () => around("**"),
  italic: () => around("*"),
  code: () => around("`"),
  heading: () => atLines("## "),
  list: () => atLines("- "),
  numbers: () => atLines("1. "),
  quote: () => atLines("> "),
  link: () => around("[", "](https://)"),
  page: () => around("[[", "]]"),
  table: () => write("\n|   |   |\n|---|---|\n|   |   |\n"),
  picture: () => form.querySelector("[data-picture-file]").click(),
};
const KEYS = { b: "bold", i: "italic", k: "page" };

function show(tab) {
  const isPreview = tab === "preview";
  form.querySelector(".preview").hidden = !isPreview;
  box.hidden = isPreview;
  for (const button of form.querySelectorAll("[data-pane]")) button.setAttribute("aria-pressed", String(button.dataset.pane === tab));
  if (!isPreview) box.focus();
}

async function upload(file) {
  const data = new FormData();
  data.append("file", file);
  const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
  const place = `![…${Date.now() % 10000}]()`;
  write(place);
  const put = (instead) => {
    const at = box.value.indexOf(place);
    if (at >= 0) write(instead, at, at + place.length);
  };
  try {
    const response = await fetch(form.dataset.pictures, { method: "POST", body: data, headers: { "X-CSRFToken": token } });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.message);
    put(answer.markdown);
    say(fill(form.dataset.pictureAdded, { name: file.name }));
  } catch (error) {
    put("");
    toast(error.message || text("failed"), "error");
  }
}

const pictures = (list) => [...(list ?? [])].filter((file) => file.type.startsWith("image/"));

function start() {
  form.addEventListener("click", (event) => {
    const tool = event.target.closest("[data-tool]");
    const pane = event.target.closest("[data-pane]");
    if (tool) TOOLS[tool.dataset.tool]();
    else if (pane) show(pane.dataset.pane);
  });
  box.addEventListener("keydown", (event) => {
    const name = (event.ctrlKey || event.metaKey) && !event.altKey && KEYS[event.key.toLowerCase()];
    if (!name || event.isComposing) return;
    event.preventDefault();
    TOOLS[name]();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(form.querySelector("[data-save]"));
  });
  box.addEventListener("paste", (event) => {
    const files = pictures(event.clipboardData.files);
    if (!files.length) return;
    event.preventDefault();
    files.forEach(upload);
  });
  const editor = box.closest(".wiki-editor");
  editor.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.items].some((item) => item.kind === "file")) return;
    event.preventDefault();
    editor.classList.add("is-over");
  });
  editor.addEventListener("dragleave", () => editor.classList.remove("is-over"));
  editor.addEventListener("drop", (event) => {
    editor.classList.remove("is-over");
    const files = pictures(event.dataTransfer.files);
    if (!files.length) return;
    event.preventDefault();
    files.forEach(upload);
  });
  form.querySelector("[data-picture-file]").addEventListener("change", (event) => {
    pictures(event.target.files).forEach(upload);
    event.target.value = "";
  });
  watchDraft(form);
}

if (form) start();
