/**
 * The rules that hold the sources to their layers; check-layers.mjs applies them to this project.
 *
 * A file imports lower layers and its own folder, and files do not import each other in a circle, types included. Each
 * module of Node has its places. Timers, microtasks and the time come from clock.ts, which takes them once, so that
 * faked ones reach nobody; the sans-io layers may not even ask it, and see no randomness but what is handed to them.
 *
 * What one file imports is read from the bundler's metafile, so that comments and strings do not matter; type-only
 * imports, which the bundler drops, are read from the text.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build, transform } from "esbuild";

/**
 * From the bottom to the top: what lies in a layer, and in words. A name that ends in a slash is a folder.
 * ARCHITECTURE.md shows it.
 * @type {[units: string[], holds: string][]}
 */
const LAYERS = [
  [["base/"], "errors, events, every tunable with its reason, octets, the one queue, what runs this"],
  [["loop/"], "the turn of the event loop, the clock, what keeps the process alive"],
  [
    ["codec/", "crypto/", "routing/"],
    "frames, greeting and commands as octets; the cryptography; rotation, load balancer, subscription trie, route table",
  ],
  [["options/"], "the table of options, their values, accessors and documented types"],
  [["mechanism/"], "the security handshakes: NULL, PLAIN, CURVE"],
  [["connection/", "pipe/"], "one peer as octets in, octets out; the waist"],
  [["transport/"], "endpoints, tcp, ipc, inproc"],
  [["session/"], "pumps one peer: connection, transport and pipe; reconnects"],
  [["socket/"], "the socket base and one small file a socket type; the context; the proxy"],
  [["auth/", "v5/"], "the ZAP handler; the API of version 5"],
  [["index.ts", "auth.ts", "draft.ts", "v5-compat.ts"], "the public names"],
];

/** Where timers, microtasks and the time come from. */
const CLOCK = "loop/clock.ts";

/**
 * Where each module of Node may be imported, types included; one that is not listed, nowhere. The folders without i/o
 * have none.
 */
const BUILTINS = new Map([
  ...["net", "tls", "dgram", "dns", "http", "https", "os"].map((name) => entry(name, ["transport/"])),
  // Certificates lie in files.
  ...["fs", "path"].map((name) => entry(name, ["transport/", "auth/", "cli/"])),
  // A WebSocket handshake has a digest in it.
  entry("crypto", ["crypto/", "transport/ws"]),
  // One function marks memory that many messages share, and loads this module with the first of them.
  entry("worker_threads", ["transport/threads/", "base/bytes.ts"]),
  ...["diagnostics_channel", "v8"].map((name) => entry(name, ["stats/"])),
  ...["child_process", "readline"].map((name) => entry(name, ["cli/"])),
  ...["async_hooks", "timers"].map((name) => entry(name, [CLOCK])),
  // How large a buffer can be; of which kind memory is.
  entry("buffer", ["base/bytes.ts"]),
  entry("util", ["base/bytes.ts", "transport/"]),
  entry("events", ["socket/", "v5/"]),
  // Not Node's: made by a plugin of the build.
  ["sodium:wasm", ["crypto/"]],
]);

/** Who may bundle a package. */
const PACKAGES = ["crypto/", "transport/"];

/** Globals that tests fake; clock.ts has the same under the same names, and `now`. */
const FAKEABLE = /(?<![.\w$])(?:set|clear)(?:Timeout|Interval|Immediate)\b|(?<![.\w$])queueMicrotask\b/g;
const FAKEABLE_MEMBER = /\b(?:process\.(?:nextTick|hrtime)|performance|Date\.now|new Date|scheduler)\b/;

/** Who has clock and randomness handed in. */
const SANS_IO = ["codec/", "crypto/", "mechanism/", "connection/", "routing/", "pipe/"];
const RANDOM_CALL = /\bMath\.random\b/;

/** @param {string} name @param {string[]} places @returns {[string, string[]]} */
function entry(name, places) {
  return [`node:${name}`, places];
}

/** @param {string} file @param {string[]} places */
const within = (file, places) => places.some((place) => file.startsWith(place));

/** The layer of a file and the folder that it may import freely. @param {string} file relative to src */
function place(file) {
  const layer = LAYERS.findIndex(([units]) =>
    units.some((unit) => (unit.endsWith("/") ? file.startsWith(unit) : file === unit)),
  );
  return { layer, folder: file.includes("/") ? file.slice(0, file.indexOf("/")) : "" };
}

/** Why `from` may not import `to`, both relative to src. @param {string} from @param {string} to */
function fault(from, to) {
  const a = place(from);
  const b = place(to);
  if (b.layer < a.layer || (b.layer === a.layer && a.folder === b.folder)) return undefined;
  return `${from} imports ${to}: ${b.layer > a.layer ? "up" : "sideways"}, from layer ${a.layer} to ${b.layer}`;
}

/** Why `from` may not import this module of Node or of a package. @param {string} from @param {string} to */
function foreignFault(from, to) {
  const places = BUILTINS.get(to);
  if (places !== undefined) {
    return within(from, places) ? undefined : `${from} imports ${to}: only ${places.join(", ")} may`;
  }
  if (to.startsWith("node:")) return `${from} imports ${to}: not among the modules this package uses`;
  return within(from, PACKAGES) ? undefined : `${from} imports ${to}: only ${PACKAGES.join(", ")} may bundle packages`;
}

/**
 * The shortest way from `start` along the imports back to it, as its stations; undefined when there is none.
 * @param {Map<string, Set<string>>} imports @param {string} start
 */
function circle(imports, start) {
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const to of imports.get(way[way.length - 1]) ?? []) {
      if (to === start) return [...way, start];
      if (seen.has(to)) continue;
      seen.add(to);
      ways.push([...way, to]);
    }
  }
  return undefined;
}

/**
 * One fault for each circle of imports, however many of its files lead into it.
 * @param {Map<string, Set<string>>} imports
 */
function circleFaults(imports) {
  const faults = [];
  const told = new Set();
  for (const file of imports.keys()) {
    const way = told.has(file) ? undefined : circle(imports, file);
    if (way === undefined) continue;
    for (const station of way) told.add(station);
    faults.push(`circle of imports: ${way.join(" -> ")}`);
  }
  return faults;
}

/** What `code` uses of what tests fake, and does not import from clock.ts. @param {string} code @returns {string[]} */
function fakeable(code) {
  const imports = /^import\s*\{([^}]*)\}\s*from\s*"\.{1,2}\/(?:loop\/)?clock\.ts";$/gm;
  const imported = new Set(
    [...code.matchAll(imports)].flatMap(([, names]) => names.split(",").map((name) => name.trim())),
  );
  const globals = [...code.matchAll(FAKEABLE)].map(([name]) => name).filter((name) => !imported.has(name));
  const member = FAKEABLE_MEMBER.exec(code);
  return [...globals, ...(member ? [member[0]] : [])];
}

/**
 * The metafile of all files, each bundled apart, so that a missing or half-written neighbour does not hide the rest.
 * @param {string} src @param {string[]} files @returns {Promise<import("esbuild").Metafile>}
 */
async function bundleApart(src, files) {
  /** @type {import("esbuild").Plugin} */
  const apart = {
    name: "apart",
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, (args) => {
        if (args.kind === "entry-point") return undefined;
        if (!args.path.startsWith(".")) return { path: args.path, external: true };
        const to = path.relative(src, path.resolve(args.resolveDir, args.path));
        return { path: `src:${to.split(path.sep).join("/")}`, external: true };
      });
    },
  };
  const { metafile } = await build({
    absWorkingDir: src,
    entryPoints: files,
    bundle: true,
    write: false,
    outdir: "unused",
    format: "cjs",
    platform: "node",
    metafile: true,
    plugins: [apart],
    logLevel: "error",
  });
  return metafile;
}

/**
 * Checks the sources below `src`; returns what is wrong, a sentence each.
 * @param {string} src an absolute path @returns {Promise<string[]>}
 */
export async function checkLayers(src) {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .sort();
  /** @type {Set<string>} */
  const faults = new Set();
  /** @type {Map<string, Set<string>>} */
  const imports = new Map(files.map((file) => [file, new Set()]));
  /** @param {string} from @param {string} to */
  const ours = (from, to) => {
    const wrong = fault(from, to);
    if (wrong) faults.add(wrong);
    imports.get(from)?.add(to);
  };
  /** @param {string} from @param {string} to */
  const foreign = (from, to) => {
    const wrong = foreignFault(from, to);
    if (wrong) faults.add(wrong);
  };
  for (const file of files) {
    if (place(file).layer < 0) faults.add(`${file} belongs to no layer`);
    const text = readFileSync(path.join(src, file), "utf8");
    for (const [, to] of text.matchAll(/^\s*(?:import|export)\b[^"';]*\bfrom\s+"([^"]+)"/gm)) {
      if (to.startsWith(".")) ours(file, path.posix.join(path.posix.dirname(file), to));
      else foreign(file, to);
    }
    // Without types and comments.
    const { code } = await transform(text, { loader: "ts", legalComments: "none" });
    for (const [, to] of code.matchAll(/\bgetBuiltinModule\("([^"]+)"\)/g)) foreign(file, to);
    if (file !== CLOCK) {
      for (const name of fakeable(code)) faults.add(`${file} uses the global ${name}: only ${CLOCK} does`);
    }
    if (RANDOM_CALL.test(code) && within(file, SANS_IO))
      faults.add(`${file} uses Math.random: randomness is handed in`);
  }

  for (const [from, bundled] of Object.entries((await bundleApart(src, files)).inputs)) {
    for (const { path: to } of bundled.imports) {
      if (!to.startsWith("src:")) foreign(from, to);
      else ours(from, to.slice("src:".length));
      if (to === `src:${CLOCK}` && within(from, SANS_IO)) faults.add(`${from} imports ${CLOCK}: the time is handed in`);
    }
  }
  for (const wrong of circleFaults(imports)) faults.add(wrong);
  return [...faults];
}

/** The layers that `src` has as a table, the top first. @param {string} src an absolute path */
export function layerTable(src) {
  const rows = LAYERS.map(([units, holds], layer) => {
    const there = units.filter((unit) => existsSync(path.join(src, unit))).map((unit) => `\`${unit}\``);
    return `| ${layer} | ${there.join(" ")} | ${holds} |`;
  });
  return ["| layer | where | what it holds |", "|---|---|---|", ...rows.reverse()].join("\n");
}
