/**
 * Holds the documentation to be whole: every public name has some, and every link leads somewhere, in it and in the pages:
 * `npm run docs`. TypeDoc reads the entry points, and what it misses is a failure; it and its TypeScript are in docs/, with a lock
 * file of their own.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { install, ROOT, run, summary } from "./lib.mjs";

/** Where pages are. */
const FOLDERS = [".", "docs/guide", "docs/reference", "bench", "interop"];

/** The anchors that GitHub makes of a page's headings. @param {string} page */
function anchorsOf(page) {
  const headings = readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Links of a page to files and headings that are not there. @param {string} page */
function brokenLinks(page) {
  const links = readFileSync(page, "utf8").matchAll(/\]\(((?!\w+:)[^)\s]+)\)/g);
  return [...links]
    .map(([, link]) => link)
    .filter((link) => {
      const [file, anchor] = link.split("#");
      const target = file === "" ? page : path.resolve(path.dirname(page), file);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
}

const pages = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join(ROOT, folder, name)),
);
let failed = 0;
for (const page of pages) {
  for (const link of brokenLinks(page)) {
    console.log(`${path.relative(ROOT, page)} links to ${link}, which is not there`);
    failed++;
  }
}
const counts = { passed: failed === 0 ? 1 : 0, failed, skipped: 0 };
if (await install("docs")) {
  const { code } = await run(process.execPath, ["node_modules/typedoc/bin/typedoc"], { cwd: path.join(ROOT, "docs") });
  if (code === 0) counts.passed++;
  else counts.failed++;
} else {
  const outcome = process.env.CI ? "failed" : "skipped";
  console.log(`${outcome}: the packages of docs could not be fetched from npm`);
  counts[outcome]++;
}
console.log(summary(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
