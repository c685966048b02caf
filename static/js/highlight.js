/* Colours code, and loads the highlighter only when there is code. */

let loading = null;

/** Colours the code blocks in `root`, once each. */
export async function highlight(root = document) {
  const blocks = root.matches?.(".code") ? [root] : [...root.querySelectorAll(".code")];
  const open = blocks.map((block) => block.querySelector("code:not([data-highlighted])")).filter(Boolean);
  if (!open.length) return;
  loading ??= import("../vendor/highlight-11.12.0.js");
  const { hljs } = await loading;
  for (const code of open) {
    const language = code.closest(".code").dataset.lang;
    if (!code.dataset.highlighted && hljs.getLanguage(language)) hljs.highlightElement(code);
  }
}
