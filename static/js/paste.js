/* Pasted on the page of a base: pictures and files are uploaded, a text goes to where it gets a title. */

const typing = (target) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog[open]");

function named(file, word) {
  if (file.name !== "image.png") return file;
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-").replace("T", " ");
  return new File([file], `${word} ${stamp}.png`, { type: file.type });
}

/** Gives pasted files to `take`. */
export function onPaste(form, tray, take) {
  document.addEventListener("paste", (event) => {
    if (typing(event.target)) return;
    const files = [...event.clipboardData.files];
    const words = event.clipboardData.getData("text/plain");
    if (files.length) take(files.map((file) => ({ file: named(file, tray.dataset.pasted), folder: "", source: "paste" })));
    else if (words.trim()) {
      sessionStorage.setItem("pasted-text", words);
      location.assign(form.querySelector("[data-write]").href);
    } else return;
    event.preventDefault();
  });
}
