/* Every text that scripts show stands in the page (<template id="strings">), translated by the server. */

/** Returns the text `name`, with `{placeholders}` filled from `values`. */
export function text(name, values = {}) {
  const found = document.getElementById("strings")?.dataset[name] ?? "";
  return fill(found, values);
}

/** Fills `{placeholders}` of a text that came from a data attribute. */
export function fill(pattern, values) {
  return pattern.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

/** Bytes for people, in the page's language: 8.1 MB. */
export function fileSize(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return new Intl.NumberFormat(document.documentElement.lang, {
    style: "unit",
    unit: units[power],
    unitDisplay: power ? "short" : "long",
    maximumFractionDigits: power > 1 ? 1 : 0,
  }).format(bytes / 1000 ** power);
}
