/* The dialect of our Markdown in the browser; core/markdown*.py is its twin on the server.
   tests/browser/test_markdown_parity.py renders the same snippets on both sides and compares. */
import { DOMPurify } from "../vendor/dompurify-3.5.0.js";
import { MarkdownIt, cjk } from "../vendor/markdown-it-15.0.3.js";
import { text } from "./strings.js";

const WORD_JOINER = "\u2060";
const CITATION = /\[([0-9]{1,2})\](?!\(|\[(?![0-9]{1,2}\]))/y;
const URL_HEAD = /(?<![A-Za-z0-9])https?$/;
const URL_TAIL = /:\/\/[^\s<>\u3000-\u303f\uff00-\uffef\u201c\u201d\u2018\u2019`\\]+/y;
const URL_TRAIL = /[.,;:!?'"*_~\])}]+$/;
const LINK = /^(?:https?:|mailto:|[/#?])/i;
/* DOMPurify tries every attribute's value, so it must also let plain words pass. */
const SAFE_VALUE = /^(?:(?:https?|mailto):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;
const LANGUAGE = /^[\w+#.-]{1,30}$/;
const ALIGNMENT = { "text-align:center": "to-center", "text-align:right": "to-end" };
const REL = "noopener noreferrer";

export const md = new MarkdownIt({ html: false, linkify: false }).use(cjk);
const { escapeHtml } = md.utils;
const rules = md.renderer.rules;

md.validateLink = (url) => LINK.test(url.trim());

/* A citation. The chip stays on the line of the word before it. */
md.inline.ruler.before("link", "cite", (state, silent) => {
  if (state.src[state.pos] !== "[" || state.linkLevel || !state.env.runId) return false;
  CITATION.lastIndex = state.pos;
  const match = CITATION.exec(state.src.slice(0, state.posMax));
  if (!match) return false;
  if (!silent) {
    state.pending = state.pending.replace(/ +$/, "");
    if (state.pending || state.tokens.length) state.pending += WORD_JOINER;
    state.push("cite", "a", 0).content = match[1];
  }
  state.pos += match[0].length;
  return true;
});

/* Leaves the sentence's punctuation out, but keeps ")" that closes one inside of the address. */
function trimUrl(url) {
  const trimmed = url.replace(URL_TRAIL, "");
  const count = (character) => trimmed.split(character).length;
  return url[trimmed.length] === ")" && count("(") > count(")") ? `${trimmed})` : trimmed;
}

/* An address that stands in the text; it ends before CJK punctuation. */
md.inline.ruler.before("link", "bare_url", (state, silent) => {
  if (state.src[state.pos] !== ":" || state.linkLevel) return false;
  URL_TAIL.lastIndex = state.pos;
  const before = state.src.slice(Math.max(0, state.pos - "xhttps".length), state.pos);
  const head = state.pending.endsWith(before.slice(-4)) && URL_HEAD.exec(before);
  const tail = URL_TAIL.exec(state.src.slice(0, state.posMax));
  if (!head || !tail) return false;
  const rest = trimUrl(tail[0]);
  const url = md.normalizeLink(head[0] + rest);
  if (rest.length < "://x".length || !md.validateLink(url)) return false;
  if (!silent) {
    state.pending = state.pending.slice(0, -head[0].length);
    state.push("link_open", "a", 1).attrs = [["href", url]];
    state.push("text", "", 0).content = head[0] + rest;
    state.push("link_close", "a", -1);
  }
  state.pos += rest.length;
  return true;
});

rules.cite = (tokens, index, options, env) => {
  const number = tokens[index].content;
  const label = escapeHtml(text("source", { number }));
  const target = escapeHtml(`#src-${env.runId ?? ""}-${number}`);
  return `<a class="cite" href="${target}" data-cite="${number}" aria-label="${label}">${number}</a>`;
};

rules.link_open = (tokens, index, options, env, self) => {
  tokens[index].attrSet("rel", REL);
  return self.renderToken(tokens, index, options);
};

/* Our own pictures are shown; those of other hosts are linked instead of loaded. */
rules.image = (tokens, index, options, env, self) => {
  const source = tokens[index].attrGet("src") ?? "";
  const words = self.renderInlineAsText(tokens[index].children, options, env);
  if (source.startsWith("/") && !source.startsWith("//")) {
    return `<img src="${escapeHtml(source)}" alt="${escapeHtml(words)}" loading="lazy">`;
  }
  return `<a href="${escapeHtml(source)}" rel="${REL}">${escapeHtml(words || source)}</a>`;
};

rules.fence = (tokens, index) => {
  const [name = ""] = tokens[index].info.trim().split(/\s+/);
  const language = LANGUAGE.test(name) ? name : "text";
  return (
    `<div class="code" data-lang="${language}"><header><span>${language}</span>` +
    `<button type="button" class="btn btn-ghost btn-sm" data-copy>${escapeHtml(text("copy"))}</button></header>` +
    `<pre tabindex="0"><code class="language-${language}">` +
    `${escapeHtml(tokens[index].content)}</code></pre></div>\n`
  );
};
rules.code_block = rules.fence;

rules.table_open = () =>
  `<div class="table-wrap" tabindex="0" role="group" aria-label="${escapeHtml(text("table"))}"><table>\n`;
rules.table_close = () => "</table></div>\n";

rules.td_open = (tokens, index, options, env, self) => {
  const token = tokens[index];
  const style = token.attrGet("style");
  if (style) token.attrs.splice(token.attrIndex("style"), 1);
  if (ALIGNMENT[style]) token.attrSet("class", ALIGNMENT[style]);
  return self.renderToken(tokens, index, options);
};

rules.th_open = (tokens, index, options, env, self) => {
  if (tokens[index + 1].content.trim()) tokens[index].attrSet("scope", "col");
  else tokens[index].tag = tokens[index + 2].tag = "td";
  return rules.td_open(tokens, index, options, env, self);
};

/** Turns HTML made of a model's text into a harmless fragment: the second fence after `html: false`. */
export function clean(html) {
  return DOMPurify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_URI_REGEXP: SAFE_VALUE,
    ADD_ATTR: ["rel", "data-cite", "data-copy", "data-lang"],
    FORBID_TAGS: ["style", "form", "input"],
    FORBID_ATTR: ["style", "id"],
  });
}

/** Renders `source` as a harmless fragment. */
export function render(source, { runId = "" } = {}) {
  return clean(md.render(source, { runId }));
}
