/* The whole page takes drops of files. */

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");

/** Shows `veil` while files are held over the page, and calls `take` with what was dropped. */
export function onDrop(veil, take) {
  let depth = 0; // each element under the pointer is entered and left
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
    take(event.dataTransfer);
  });
}
