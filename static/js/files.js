/* Files out of a drop or a file field, each with the path below the folder that was chosen. */

const JUNK = /^(\.|Thumbs\.db$|desktop\.ini$|__MACOSX$)/i;

const wait = (entry, method) => new Promise((resolve, reject) => entry[method](resolve, reject));

async function* walk(entry, folder) {
  if (JUNK.test(entry.name)) return;
  if (entry.isFile) {
    yield { file: await wait(entry, "file"), folder };
    return;
  }
  const reader = entry.createReader();
  const inside = folder ? `${folder}/${entry.name}` : entry.name;
  let batch;
  do {
    batch = await wait(reader, "readEntries"); // at most 100 at a time
    for (const child of batch) yield* walk(child, inside);
  } while (batch.length);
}

/** Yields {file, folder} for everything that was dropped, folders included. */
export async function* dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean); // before the first await
  for (const entry of entries) yield* walk(entry, "");
}

/** Returns {file, folder} for what a file field holds. */
export function chosen(input) {
  return [...input.files]
    .filter((file) => !JUNK.test(file.name))
    .map((file) => ({ file, folder: file.webkitRelativePath.split("/").slice(0, -1).join("/") }));
}

/** A file that was changed or moved after it was chosen fails like a lost connection. */
export async function readable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
