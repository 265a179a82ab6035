/**
 * Builds dist/: `npm run build`.
 *
 *   zmtp.cjs                     the one implementation: everything that src/index.ts reaches
 *   index.cjs                    picks the public names from it
 *   auth.cjs, v5-compat.cjs …    the sub-path entries (those that exist in src), which take what they share from zmtp.cjs
 *   <name>.cjs                   a lazy chunk: what a file in src loads by `require("./<name>.ts")` instead of an import
 *   *.mjs, *.d.mts               thin ESM wrappers: the same objects under `import`
 *   types/                       the declarations; types-3.7/ the same for compilers before TypeScript 4.3
 *
 * Two bundles that both held the sources would be two inproc registries and two error classes. So a module is in zmtp.cjs or
 * in one chunk, never in two outputs: a chunk that imports a module of zmtp.cjs gets zmtp.cjs's own copy of it, and the
 * build fails when two chunks would each bring the same module. A chunk takes the values when it is loaded: a module that it shares must not
 * reassign what it exports.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { bundleDeclarations, downLevel } from "./declarations.mjs";
import { ROOT } from "./lib.mjs";
import { sodiumWasm } from "./sodium-wasm.mjs";

const SRC = path.join(ROOT, "src");
const DIST = path.join(ROOT, "dist");
/**
 * Built here and moved at the end, so that a process that loads dist meanwhile sees the old or the new one. Beside dist, because
 * source maps hold relative paths.
 */
const NEW = path.join(ROOT, `dist-${process.pid}`);

/** The entries of the package that there are. */
const ENTRIES = ["index", "auth", "draft", "v5-compat"].filter((entry) => existsSync(path.join(SRC, `${entry}.ts`)));

const load = createRequire(import.meta.url);
// An entry may warn that it is experimental when it is loaded here: that is for its users.
process.removeAllListeners("warning");

/** @type {import("esbuild").BuildOptions & { metafile: true }} */
const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node18",
  sourcemap: true,
  sourcesContent: false,
  legalComments: "eof",
  metafile: true,
  logLevel: "error",
};

/** Comments that stand in lines of their own; the licences of packages are in files that this build does not read. */
const COMMENTS = /^[ \t]*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm;

/**
 * Leaves out the sources' comments, which esbuild keeps inside classes: an eighth of the bundle, and src/ is in the package
 * anyway. The lines stay where they are, so that the source maps hold.
 * @type {import("esbuild").Plugin}
 */
const withoutComments = {
  name: "without-comments",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path: file }) => {
      if (!file.startsWith(SRC)) return undefined;
      const contents = readFileSync(file, "utf8").replace(COMMENTS, (comment) => comment.replace(/[^\n]/g, ""));
      return { contents, loader: "ts" };
    });
  },
};

/** The file a relative import means. @param {{ resolveDir: string, path: string }} args */
const target = (args) => path.resolve(args.resolveDir, args.path);

/** Name of a source in reports and as a key: its path below src without the ending. @param {string} file */
const moduleName = (file) => path.relative(SRC, file).split(path.sep).join("/").replace(/\.ts$/, "");

/**
 * Leaves `require("./x.ts")` to run time as `require("./x.cjs")`, and notes the file as a chunk to build.
 * @param {Map<string, string>} chunks name to file @returns {import("esbuild").Plugin}
 */
const lazyChunks = (chunks) => ({
  name: "lazy-chunks",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, (args) => {
      if (args.kind !== "require-call") return undefined;
      const name = path.basename(args.path, ".ts");
      const file = target(args);
      if ((chunks.get(name) ?? file) !== file) throw new Error(`two lazy chunks are called ${name}`);
      chunks.set(name, file);
      return { path: `./${name}.cjs`, external: true };
    });
  },
});

/**
 * Takes every module that zmtp.cjs holds from there.
 * @param {Map<string, string[]>} shared files in zmtp.cjs, with the names they export
 * @param {Set<string>} used collects those that chunks need @returns {import("esbuild").Plugin}
 */
const fromImplementation = (shared, used) => ({
  name: "from-implementation",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, (args) => {
      if (args.kind === "entry-point" || !shared.has(target(args))) return undefined;
      used.add(target(args));
      return { path: moduleName(target(args)), namespace: "shared" };
    });
    onResolve({ filter: /^\.\/zmtp\.cjs$/ }, (args) => ({ path: args.path, external: true }));
    onLoad({ filter: /.*/, namespace: "shared" }, ({ path: name }) => {
      const names = shared.get(path.join(SRC, `${name}.ts`)) ?? [];
      const lines = [`const shared = require("./zmtp.cjs").modules[${JSON.stringify(name)}];`];
      for (const exported of names) lines.push(`export const ${exported} = shared.${exported};`);
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
});

/** Files below src that went into an output. @param {import("esbuild").Metafile} metafile */
const sources = (metafile) =>
  Object.keys(metafile.inputs)
    .filter((file) => file.startsWith("src/") && file !== "src/zmtp.ts")
    .map((file) => path.join(ROOT, file));

/** Packages whose contents come through a plugin: the plugin's namespace, and the package. */
const MADE_FROM = new Map([["sodium-wasm", "libsodium-sumo"]]);

/** The notices of bundled packages have to travel with the bundle. @param {Iterable<import("esbuild").Metafile>} metafiles */
function writeNotices(metafiles) {
  /** @type {Set<string>} */
  const packages = new Set();
  for (const { inputs } of metafiles) {
    for (const file of Object.keys(inputs)) {
      const found = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
      if (found) packages.add(path.join(ROOT, found[0]));
      const made = MADE_FROM.get(file.slice(0, file.indexOf(":")));
      if (made) packages.add(path.join(ROOT, "node_modules", made));
    }
  }
  if (packages.size === 0) return;
  const notices = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} is bundled but has no licence file`);
    return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
  });
  const text = `Parts of these packages are bundled into the files beside this one.\n\n${notices.join(`\n${"-".repeat(80)}\n\n`)}`;
  writeFileSync(path.join(NEW, "THIRD-PARTY-NOTICES.txt"), text);
}

/**
 * Bundles what index.ts reaches, with `parts` of it as `modules` for the chunks.
 * @param {string} outfile @param {Iterable<string>} parts @param {Map<string, string>} chunks
 */
async function implementation(outfile, parts, chunks) {
  const names = [...parts].map(moduleName).sort();
  const contents = [
    'export * as index from "./index.ts";',
    ...names.map((name, i) => `import * as m${i} from "./${name}.ts";`),
    `export const modules = { ${names.map((name, i) => `${JSON.stringify(name)}: m${i}`).join(", ")} };`,
  ].join("\n");
  /** @type {import("esbuild").StdinOptions} */
  const stdin = { contents, resolveDir: SRC, sourcefile: "zmtp.ts", loader: "ts" };
  const { metafile } = await build({
    ...COMMON,
    stdin,
    outfile,
    plugins: [lazyChunks(chunks), withoutComments, sodiumWasm()],
  });
  return metafile;
}

/** Bundles the implementation and its chunks; returns the metafiles by output name. */
async function bundle() {
  /** @type {Map<string, string>} */
  const chunks = new Map();
  for (const entry of ENTRIES) if (entry !== "index") chunks.set(entry, path.join(SRC, `${entry}.ts`));

  // Which modules there are, and what they export: once with none of them shared, once with all.
  const probe = path.join(NEW, "probe.cjs");
  const reached = sources(await implementation(probe, [], chunks));
  await implementation(probe, reached, chunks);
  const { modules } = load(probe);
  const shared = new Map(reached.map((file) => [file, Object.keys(modules[moduleName(file)])]));
  for (const file of [probe, `${probe}.map`]) rmSync(file);

  /** @type {Set<string>} */
  const used = new Set();
  /** @type {Map<string, string>} */
  const owner = new Map();
  /** @type {Map<string, import("esbuild").Metafile>} */
  const metafiles = new Map();
  // A chunk may name further lazy chunks: the loop sees entries that are added to the map meanwhile.
  for (const [name, file] of chunks) {
    if (shared.has(file))
      throw new Error(`${moduleName(file)} is imported by the implementation: it cannot be a chunk too`);
    const plugins = [lazyChunks(chunks), fromImplementation(shared, used), withoutComments, sodiumWasm()];
    const { metafile } = await build({
      ...COMMON,
      entryPoints: [file],
      outfile: path.join(NEW, `${name}.cjs`),
      plugins,
    });
    for (const source of sources(metafile)) {
      if (owner.has(source)) {
        throw new Error(
          `${moduleName(source)} would be in ${owner.get(source)}.cjs and ${name}.cjs: index.ts has to reach it`,
        );
      }
      owner.set(source, name);
    }
    metafiles.set(name, metafile);
  }
  metafiles.set("zmtp", await implementation(path.join(NEW, "zmtp.cjs"), used, chunks));
  return metafiles;
}

/** Writes the CommonJS main entry and the ESM wrappers of all entries. */
function writeEntries() {
  for (const entry of ENTRIES) {
    const exported = entry === "index" ? load(path.join(NEW, "zmtp.cjs")).index : load(path.join(NEW, `${entry}.cjs`));
    const names = Object.keys(exported).sort();
    if (entry === "index") {
      const lines = [
        '"use strict";',
        'Object.defineProperty(exports, "__esModule", { value: true });',
        'const { index } = require("./zmtp.cjs");',
        ...names.map((name) => `exports.${name} = index.${name};`),
      ];
      writeFileSync(path.join(NEW, "index.cjs"), `${lines.join("\n")}\n`);
    }
    const wrapper = [
      `import entry from "./${entry}.cjs";`,
      ...names.map((name) => `export const ${name} = entry.${name};`),
      "export default entry;",
    ];
    writeFileSync(path.join(NEW, `${entry}.mjs`), `${wrapper.join("\n")}\n`);
    const types = [
      `import * as entry from "./types/${entry}.js";`,
      `export * from "./types/${entry}.js";`,
      "export default entry;",
    ];
    writeFileSync(path.join(NEW, `${entry}.d.mts`), `${types.join("\n")}\n`);
  }
}

try {
  mkdirSync(NEW, { recursive: true });
  const metafiles = await bundle();
  writeNotices(metafiles.values());
  writeEntries();
  await bundleDeclarations(SRC, path.join(NEW, "types"), ENTRIES);
  downLevel(path.join(NEW, "types"), path.join(NEW, "types-3.7"));
  rmSync(DIST, { recursive: true, force: true });
  renameSync(NEW, DIST);
  const sizes = [...metafiles].map(([name, { outputs }]) => {
    const bytes = Object.entries(outputs).find(([file]) => file.endsWith(".cjs"))?.[1].bytes ?? 0;
    return `${name}.cjs ${(bytes / 1024).toFixed(1)} KiB`;
  });
  console.log(`dist: ${sizes.join(", ")}`);
} catch (error) {
  rmSync(NEW, { recursive: true, force: true });
  console.error(`build failed: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
