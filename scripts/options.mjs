/**
 * Writes the table of options in docs/reference/options.md out of the rows in src/options: `npm run options -- --write`. Without
 * `--write` it fails when the page has another table.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./lib.mjs";
import { sodiumWasm } from "./sodium-wasm.mjs";

const PAGE = path.join(ROOT, "docs/reference/options.md");
const MARKED = /(<!-- options:begin -->\n)[\s\S]*?(<!-- options:end -->)/;

/** @typedef {import("./options-rows.d.mts").Row} Row */

/** The rows as the package has them. @returns {Promise<import("./options-rows.d.mts").Rows>} */
async function rows() {
  const contents = `
    export { OPTIONS, CONTEXT_OPTIONS } from "./options/table.ts";
    export { rangeOf } from "./options/kinds.ts";
    export { initialOf } from "./options/defaults.ts";
    export { SOCKET_TYPES } from "./options/socket-types.ts";`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: path.join(ROOT, "src"), loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    external: ["./*.cjs"],
    plugins: [sodiumWasm()],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const { OPTIONS, CONTEXT_OPTIONS, rangeOf, initialOf, SOCKET_TYPES } = await rows();
const names = Object.keys(SOCKET_TYPES);
/** The documented types of sockets' options, and of contexts'. */
const [OF_SOCKETS, OF_CONTEXTS] = readFileSync(path.join(ROOT, "src/options/public.ts"), "utf8").split(
  "export interface ContextOptions",
);

/** The documentation of an option, without what the table tells in columns of its own. @param {string} documented @param {string} name */
function wordsOf(documented, name) {
  const [, text] =
    new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*(?:readonly |get |set )?${name}\\b`).exec(documented) ?? [];
  if (text === undefined) throw new Error(`src/options/public.ts does not document ${name}`);
  return text
    .replace(/\s*\n\s*\*\s?/g, " ")
    .replace(/\(ZMQ_[^)]*\)/g, "")
    .replace(/(?<=\.|^\s*)\s*(?:Default|Live)\b(?:[^.]|\.\w)*\./g, "")
    .replaceAll("|", "\\|")
    .trim();
}

/** @param {Row} row @param {number} type */
function valueOf(row, type) {
  if (row.initial === undefined) return "";
  const value = initialOf(row, type, { blocky: true, ipv6: false });
  if (typeof value === "number" || typeof value === "boolean") return `\`${value}\``;
  if (value instanceof Map) return "`{}`";
  return "`null`";
}

/** @param {Row} row */
function defaultOf(row) {
  if (typeof row.initial !== "function") return valueOf(row, 0);
  if (row.name === "type" || row.name === "threadSafe") return "by type";
  const values = new Map(Object.values(SOCKET_TYPES).map((type) => [type, valueOf(row, type)]));
  const usual = valueOf(row, 0);
  const others = names.filter((_, type) => values.get(type) !== usual && type < SOCKET_TYPES.SERVER);
  return others.length === 0 ? usual : `${usual}; ${others.join(", ")}: ${values.get(SOCKET_TYPES[others[0]])}`;
}

/** @param {Row} row */
function holdersOf({ holders }) {
  if (holders === "every") return "all";
  return holders
    .filter((type) => type < SOCKET_TYPES.SERVER)
    .map((type) => names[type])
    .join(" ");
}

/** @param {Row} row */
function actsOf({ acts, access, idle }) {
  if (idle) return `no effect: ${idle}`;
  if (access === "r") return "read only";
  const set = acts === "live" ? "at once" : acts === "next" ? "next bind or connect" : acts;
  return access === "w" ? `${set}; write only` : set;
}

/** @param {Row} row */
const rangeAndUnit = (row) => [rangeOf(row) === "any" ? "" : rangeOf(row), row.unit ?? ""].filter(Boolean).join(" ");

/** @param {Row[]} options @param {boolean} hasHolders */
function table(options, hasHolders) {
  const head = ["option", "libzmq", "takes", "default", ...(hasHolders ? ["of"] : []), "takes effect", "is"];
  const lines = options
    .filter(({ name, holders }) => name !== undefined && holdersOf(/** @type {Row} */ ({ holders })) !== "")
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((row) => [
      `\`${row.name}\``,
      row.libzmq.replaceAll(", ", " ") || "none",
      [row.kind === "other" ? "" : row.kind, rangeAndUnit(row)].filter(Boolean).join(", "),
      defaultOf(row),
      ...(hasHolders ? [holdersOf(row)] : []),
      actsOf(row),
      wordsOf(hasHolders ? OF_SOCKETS : OF_CONTEXTS, row.name),
    ]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const tables = `\n## Of sockets\n\n${table(OPTIONS, true)}\n\n## Of contexts\n\n${table(CONTEXT_OPTIONS, false)}\n\n`;
const page = readFileSync(PAGE, "utf8");
const fresh = page.replace(MARKED, (_, begin, end) => `${begin}${tables}${end}`);
if (process.argv.includes("--write")) writeFileSync(PAGE, fresh);
else if (fresh !== page || !MARKED.test(page)) {
  console.log("docs/reference/options.md has another table than the rows: npm run options -- --write");
  process.exitCode = 1;
}
