/* Builds static/vendor/ out of node_modules (`npm ci && npm run vendor`).
   File names carry the version; vendor.json says what each file is. The results are committed,
   so neither `make run` nor a deployment needs Node. */
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ICONS } from "./icons.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}static/vendor/`;
const modules = `${root}node_modules/`;
const entries = [];

const manifest = async (name) => JSON.parse(await readFile(`${modules}${name}/package.json`, "utf8"));

/** Notes what a written file is made of. */
async function record(file, packages) {
  const sha256 = createHash("sha256").update(await readFile(target + file)).digest("hex");
  const parts = await Promise.all(packages.map(manifest));
  entries.push({
    file,
    packages: parts.map(({ name, version, license }) => ({ name, version, licence: license })),
    sha256,
  });
}

/** Bundles packages into one minified ES module. */
async function bundle(stem, code, packages) {
  const { version } = await manifest(packages[0]);
  const file = `${stem}-${version}.js`;
  await build({
    stdin: { contents: code, resolveDir: root },
    outfile: target + file,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox125", "safari17.5"],
    legalComments: "inline",
    logLevel: "warning",
  });
  await record(file, packages);
}

/** Joins the icons we use into one sprite. */
async function sprite() {
  const { version } = await manifest("lucide-static");
  const symbols = await Promise.all(
    [...ICONS].sort().map(async (name) => {
      const svg = await readFile(`${modules}lucide-static/icons/${name}.svg`, "utf8");
      const shapes = svg.replace(/[^]*?<svg[^>]*>|<\/svg>\s*$/g, "").replace(/\s+/g, " ").trim();
      return (
        `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" ` +
        `stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round">${shapes}</symbol>`
      );
    }),
  );
  const file = `lucide-${version}.svg`;
  await writeFile(
    target + file,
    `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join("\n")}\n</svg>\n`,
  );
  await record(file, ["lucide-static"]);
}

/** Copies the Latin subset of the variable font. */
async function font() {
  const name = "@fontsource-variable/inter";
  const { version } = await manifest(name);
  const file = `inter-latin-${version}.woff2`;
  await copyFile(`${modules}${name}/files/inter-latin-wght-normal.woff2`, target + file);
  await record(file, [name]);
}

/** Collects the licence texts that must travel with the files. */
async function licences() {
  const names = new Set(entries.flatMap((entry) => entry.packages.map(({ name }) => name)));
  const texts = await Promise.all(
    [...names].sort().map(async (name) => {
      const files = await readdir(modules + name);
      const found = files.find((file) => /^licen[cs]e/i.test(file));
      const text = found ? await readFile(`${modules}${name}/${found}`, "utf8") : (await manifest(name)).license;
      return `${"=".repeat(80)}\n${name}\n\n${text.trim()}\n`;
    }),
  );
  await writeFile(`${target}LICENCES.txt`, texts.join("\n"));
}

await mkdir(target, { recursive: true });
for (const old of await readdir(target)) await rm(target + old);
await bundle(
  "markdown-it",
  'export { default as MarkdownIt } from "markdown-it"; export { default as cjk } from "markdown-it-cjk-friendly";',
  [
    "markdown-it",
    "markdown-it-cjk-friendly",
    "entities",
    "get-east-asian-width",
    "linkify-it",
    "mdurl",
    "punycode.js",
    "uc.micro",
  ],
);
await bundle("dompurify", 'export { default as DOMPurify } from "dompurify";', ["dompurify"]);
await bundle("idiomorph", 'export { Idiomorph } from "idiomorph/dist/idiomorph.esm.js";', ["idiomorph"]);
await bundle("highlight", 'export { default as hljs } from "@highlightjs/cdn-assets/es/highlight.min.js";', [
  "@highlightjs/cdn-assets",
]);
await sprite();
await font();
entries.sort((a, b) => a.file.localeCompare(b.file));
await licences();
await writeFile(`${target}vendor.json`, `${JSON.stringify(entries, null, 2)}\n`);
