/* Markdown that grows. Finished top-level blocks are appended once and never touched again; only the
   last, open block is rendered anew, at most once a frame. The server's HTML then replaces the result by
   morphing, which changes nothing where both agree. */
import { Idiomorph } from "../vendor/idiomorph-0.8.0.js";
import { clean, md } from "./markdown.js";

const BLOCKS = /^(DIV|P|UL|OL|LI|BLOCKQUOTE|TABLE|TBODY|THEAD|TR|TD|TH|PRE|CODE|H[1-6])$/;

/* A lone number may become the next item of the list above it. */
const MAY_BE_ITEM = /^\s*\d{1,9}\s*$/;

/** Closes what is still open at the end, so that "**bo" does not flash as asterisks. */
export function heal(source) {
  const paragraph = (from) => from.slice(from.lastIndexOf("\n\n") + 1);
  const odd = (from, mark) => (from.match(mark) ?? []).length % 2 === 1;
  if (odd(paragraph(source), /```/g)) return source;
  let healed = source.replace(/!?\[[^\]\n]*$/, "").replace(/\]\([^)\n]*$/, "]");
  const plain = paragraph(source).replace(/`[^`\n]*`/g, "");
  if (odd(plain, /`/g)) return `${healed}\``;
  if (odd(plain, /\*\*/g)) {
    healed = healed.replace(/\*+$/, (stars) => (stars.length > 1 ? "" : stars));
    if (odd(paragraph(healed), /\*\*/g)) healed += "**";
  }
  return healed;
}

function offsetOfLine(source, line) {
  let offset = 0;
  for (let passed = 0; passed < line; passed += 1) offset = source.indexOf("\n", offset) + 1;
  return offset;
}

/** One answer in the making, in `element`. */
export class StreamMarkdown {
  constructor(element, { runId = "", onBlock = () => {} } = {}) {
    this.element = element;
    this.env = { runId };
    this.onBlock = onBlock;
    this.source = "";
    this.dirty = false;
    this.caret = Object.assign(document.createElement("span"), { className: "caret" });
    this.tail = Object.assign(document.createElement("div"), { className: "md-tail" });
    element.setAttribute("aria-busy", "true");
    element.append(this.tail);
  }

  /** Takes more text; `flush` shows it. */
  push(more) {
    this.source += more;
    this.dirty = true;
  }

  /** Renders what came since the last time. */
  flush() {
    if (!this.dirty) return;
    this.dirty = false;
    const tokens = md.parse(this.source, this.env);
    const starts = tokens.flatMap((token, index) => (token.level === 0 && token.nesting >= 0 && token.map ? [index] : []));
    const cut = starts.at(-1);
    const rest = starts.length > 1 ? this.source.slice(offsetOfLine(this.source, tokens[cut].map[0])) : this.source;
    if (starts.length > 1 && !MAY_BE_ITEM.test(rest)) {
      this.#append(tokens.slice(0, cut));
      this.source = rest;
    }
    this.tail.replaceChildren(clean(md.render(heal(this.source), this.env)));
    this.#placeCaret();
  }

  /** Ends the stream; with the server's `html` it becomes that, else it stays as it is. */
  end(html = null) {
    this.dirty = false;
    if (this.source) this.#append(md.parse(this.source, this.env));
    this.source = "";
    this.tail.remove();
    this.element.removeAttribute("aria-busy");
    if (html !== null) morphAnswer(this.element, html);
  }

  #append(tokens) {
    const fragment = clean(md.renderer.render(tokens, md.options, this.env));
    const added = [...fragment.children];
    for (const node of added) node.classList.add("md-in");
    this.tail.before(fragment);
    added.forEach(this.onBlock);
  }

  #placeCaret() {
    let node = this.tail;
    while (node.lastElementChild && BLOCKS.test(node.lastElementChild.tagName)) node = node.lastElementChild;
    node.append(this.caret);
  }
}

/** Replaces an answer's content by `html` of our server; coloured code is left alone. */
export function morphAnswer(element, html) {
  Idiomorph.morph(element, html, {
    morphStyle: "innerHTML",
    callbacks: {
      beforeNodeMorphed: (old, fresh) =>
        !(old.nodeType === Node.ELEMENT_NODE && old.matches(".code") && old.textContent === fresh.textContent),
    },
  });
}
