/**
 * The rules that hold the sources to their layers; check-layers.mjs applies them to this project.
 *
 * A file imports lower layers and its own folder, types included. Only transport/ reaches the network and the file system,
 * only crypto/ (and a WebSocket handshake) cryptography. Timers, microtasks and the time come from clock.ts, which takes them once,
 * so that faked ones reach nobody; the sans-io layers may not even ask it, and see no randomness but what is handed to them. What one file imports is read from the bundler's metafile, so that comments and
 * strings do not matter; type-only imports, which the bundler drops, are read from the text.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build, transform } from "esbuild";

/**
 * From the bottom to the top: what lies in a layer, and in words. A name that ends in a slash is a folder. ARCHITECTURE.md shows it.
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

/** Who may import what of Node; what is not listed, nobody may. */
const BUILTINS = new Map([
  ...["net", "fs", "http", "https", "dns", "os", "tls", "dgram", "path"].map((name) =>
    entry(name, name === "fs" || name === "path" ? ["transport/", "auth/certificates"] : ["transport/"]),
  ),
  entry("crypto", ["crypto/", "transport/ws"]),
  entry("async_hooks", [CLOCK]),
  entry("timers", [CLOCK]),
  entry("buffer", [""]),
  entry("events", [""]),
  entry("util", [""]),
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
  for (const file of files) {
    if (place(file).layer < 0) faults.add(`${file} belongs to no layer`);
    const text = readFileSync(path.join(src, file), "utf8");
    for (const [, to] of text.matchAll(/^\s*(?:import|export)\s+type\b[^"';]*\bfrom\s+"(\.[^"]+)"/gm)) {
      const wrong = fault(file, path.posix.normalize(path.posix.join(path.posix.dirname(file), to)));
      if (wrong) faults.add(wrong);
    }
    // Without types and comments.
    const { code } = await transform(text, { loader: "ts", legalComments: "none" });
    if (file !== CLOCK) {
      for (const name of fakeable(code)) faults.add(`${file} uses the global ${name}: only ${CLOCK} does`);
    }
    if (RANDOM_CALL.test(code) && within(file, SANS_IO))
      faults.add(`${file} uses Math.random: randomness is handed in`);
  }

  for (const [from, { imports }] of Object.entries((await bundleApart(src, files)).inputs)) {
    for (const { path: to } of imports) {
      if (to.startsWith("src:")) {
        const wrong = fault(from, to.slice("src:".length));
        if (wrong) faults.add(wrong);
        if (to === `src:${CLOCK}` && within(from, SANS_IO))
          faults.add(`${from} imports ${CLOCK}: the time is handed in`);
      } else if (BUILTINS.has(to) || to.startsWith("node:")) {
        const places = BUILTINS.get(to);
        if (!places) faults.add(`${from} imports ${to}: not among the modules this package uses`);
        else if (!within(from, places)) faults.add(`${from} imports ${to}: only ${places.join(", ")} may`);
      } else if (!within(from, PACKAGES)) {
        faults.add(`${from} imports ${to}: only ${PACKAGES.join(", ")} may bundle packages`);
      }
    }
  }
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
