/* A picture of a document in full size. Without this the link shows it alone. */
import { text } from "./strings.js";

let dialog;

function make() {
  dialog = document.createElement("dialog");
  dialog.className = "dlg lightbox";
  const image = document.createElement("img");
  const foot = document.createElement("footer");
  const words = document.createElement("p");
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn btn-sm";
  close.textContent = text("close");
  close.addEventListener("click", () => dialog.close());
  foot.append(words, close);
  dialog.append(image, foot);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target.closest?.('a[href*="/pictures/"]');
  const small = link?.querySelector("img");
  if (!small) return;
  event.preventDefault();
  if (!dialog) make();
  const image = dialog.querySelector("img");
  image.src = link.href;
  image.alt = small.alt;
  dialog.querySelector("p").textContent = small.alt;
  dialog.setAttribute("aria-label", small.alt || text("picture"));
  dialog.showModal();
});
