/**
 * What users get: the packed tarball, installed into an empty folder, offline, and used from there by `require`,
 * `import`, a bundler and every way in which TypeScript resolves a package. Needs a build: `npm run package`.
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, suite } from "../helpers/test.ts";

const it = suite("package/tarball");

const ROOT = process.cwd();

/** npm and the compilers take seconds, more on a busy machine. */
const SLOW = { timeout: 90_000 };

const words = (text: string): string[] => text.trim().split(/\s+/).sort();

/** Exactly what the entries export; an ES module can have it all as the default, too. */
const NAMES: Record<string, string[]> = {
  zmtp: words(`
    capability context curveKeyPair version Context Socket Observer Proxy
    Pair Publisher Subscriber Request Reply Dealer Router Pull Push XPublisher XSubscriber Stream
  `),
  "zmtp/auth": words("Authenticator loadCertificate loadCertificates parseCertificate"),
  "zmtp/v5-compat": [
    ...words(`
      AFFINITY BACKLOG CONNECT_TIMEOUT CURVE_PUBLICKEY CURVE_SECRETKEY CURVE_SERVER CURVE_SERVERKEY
      DELAY_ATTACH_ON_CONNECT EVENTS FD HEARTBEAT_IVL HEARTBEAT_TIMEOUT HEARTBEAT_TTL IDENTITY IO_THREADS IPV4ONLY IPV6
      LAST_ENDPOINT LINGER MAXMSGSIZE MAX_SOCKETS MECHANISM MULTICAST_HOPS PLAIN_PASSWORD PLAIN_SERVER PLAIN_USERNAME
      RATE RCVBUF RCVHWM RCVMORE RCVTIMEO RECONNECT_IVL RECONNECT_IVL_MAX RECOVERY_IVL RECOVERY_IVL_MSEC ROUTER_HANDOVER
      ROUTER_MANDATORY ROUTER_RAW SNDBUF SNDHWM SNDTIMEO SUBSCRIBE TCP_ACCEPT_FILTER TCP_KEEPALIVE TCP_KEEPALIVE_CNT
      TCP_KEEPALIVE_IDLE TCP_KEEPALIVE_INTVL TYPE UNSUBSCRIBE XPUB_VERBOSE ZAP_DOMAIN
      PAIR PUB SUB REQ REP DEALER XREQ ROUTER XREP PULL PUSH XPUB XSUB STREAM
      POLLIN POLLOUT POLLERR SNDMORE CAN_MONITOR CAN_DISCONNECT CAN_UNBIND CAN_SET_CTX
    `).map((name) => `ZMQ_${name}`),
    ...words("STATE_READY STATE_BUSY STATE_CLOSED"),
    ...words("Context Socket createSocket socket curveKeypair proxy version options"),
  ].sort(),
};
// What an ES module has to write where it uses the original.
NAMES["zmtp/v5-compat.js"] = NAMES["zmtp/v5-compat"];

/** The folder of a program that uses the package. */
let folder = "";
/** Paths in the tarball. */
let packed: string[] = [];

/** Runs a program in the user's folder and returns what it printed; its whole output is the error text if it fails. */
function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: "", npm_config_ignore_scripts: "true" };
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: folder, env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}

/** Runs a text as a module of the user's folder; it prints JSON. */
async function evaluate(file: string, text: string, ...flags: string[]): Promise<unknown> {
  writeFileSync(path.join(folder, file), text);
  return JSON.parse(await run(process.execPath, ...flags, file));
}

function manifest(): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(folder, "node_modules/zmtp/package.json"), "utf8"));
}

it.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "zmtp-package-"));
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const [tarball] = JSON.parse(await run("npm", "pack", "--json", "--pack-destination", folder, ROOT));
  packed = tarball.files.map((file: { path: string }) => file.path);
  await run("npm", "install", "--offline", "--no-audit", "--no-fund", `./${tarball.filename}`);
}, SLOW);

it.after(() => rmSync(folder, { recursive: true, force: true }));

it("installs nothing but itself", () => {
  assert.equal(
    readdirSync(path.join(folder, "node_modules")).filter((entry) => !entry.startsWith(".")),
    ["zmtp"],
  );
  const fields = Object.keys(manifest()).filter((field) => /dependencies/i.test(field) && field !== "devDependencies");
  assert.equal(fields, []);
});

it("has no install script", () => {
  const scripts = Object.keys(manifest().scripts as Record<string, string>);
  assert.equal(
    scripts.filter((name) => /^(pre|post)?(install|prepare|pack|publish)$/.test(name)),
    [],
  );
});

it("holds the build, its sources, and no more", () => {
  const outside = packed.filter((file) => !/^(dist|src)\//.test(file)).sort();
  assert.equal(outside, ["LICENSE", "README.md", "package.json"]);
  assert.equal(
    packed.filter((file) => /\.(test|child)\.|\.tgz$|\.metafile/.test(file)),
    [],
  );
});

it("is small, and loads at first no module of Node that only some programs need", async () => {
  assert.ok(statSync(path.join(folder, "node_modules/zmtp/dist/zmtp.cjs")).size <= 330_000);
  const loaded = await evaluate(
    "loads.cjs",
    `const before = new Set(process.moduleLoadList);
     require("zmtp");
     const loaded = process.moduleLoadList.filter((name) => !before.has(name) && name.startsWith("NativeModule "));
     console.log(JSON.stringify(loaded.map((name) => name.slice("NativeModule ".length))));`,
  );
  const names = loaded as string[];
  assert.ok(names.includes("net"), "the list tells what was loaded");
  const late = ["crypto", "tls", "http", "dgram", "worker_threads", "child_process"];
  assert.equal(
    names.filter((name) => late.includes(name)),
    [],
  );
});

it("has every file that its manifest names, types first", () => {
  const seen: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") seen.push(value.replace("*", "index.d.ts"));
    else for (const inner of Object.values(value as object)) visit(inner);
  };
  const { main, module, types, exports, typesVersions } = manifest();
  visit([main, module, types, exports, typesVersions ?? {}]);
  assert.ok(seen.length >= 8);
  assert.equal(
    seen.filter((file) => !existsSync(path.join(folder, "node_modules/zmtp", file))),
    [],
  );
  for (const entry of Object.values(exports as Record<string, string | Record<string, object>>)) {
    if (typeof entry === "string") continue;
    for (const condition of Object.values(entry)) assert.is(Object.keys(condition)[0], "types");
  }
});

it("has declarations that lead an editor to the sources, and no private field, which ES5 programs cannot read", () => {
  const types = path.join(folder, "node_modules/zmtp/dist/types");
  for (const file of readdirSync(types)) {
    const text = readFileSync(path.join(types, file), "utf8");
    if (!file.endsWith(".map")) {
      assert.not.match(text, /^ *#/m, file);
      continue;
    }
    const { sources } = JSON.parse(text) as { sources: string[] };
    assert.ok(sources.length > 0, file);
    for (const source of sources) assert.ok(existsSync(path.join(types, source)), `${file}: ${source}`);
  }
});

it("classes and functions are called what they are exported as, whatever the bundler makes of them", async () => {
  const entries = Object.keys(NAMES).filter((entry) => !entry.endsWith(".js"));
  const program = `
    const wrong = [];
    for (const entry of ${JSON.stringify(entries)}) {
      for (const [key, value] of Object.entries(require(entry))) {
        if (typeof value === "function" && value.name !== key) wrong.push([entry, key, value.name].join(" "));
      }
    }
    console.log(JSON.stringify(wrong));`;
  assert.equal(await evaluate("names.cjs", program), [
    // One function under two names.
    "zmtp/v5-compat socket createSocket",
  ]);
});

it("has no other entries than those listed here", () => {
  const entries = Object.keys(manifest().exports as object).filter((entry) => entry !== "./package.json");
  assert.equal(entries.map((entry) => path.posix.join("zmtp", entry)).sort(), Object.keys(NAMES).sort());
});

for (const [entry, names] of Object.entries(NAMES)) {
  it(`exports exactly its names by require: ${entry}`, async () => {
    const text = `
      const entry = require(${JSON.stringify(entry)});
      const names = Object.keys(entry).sort();
      console.log(JSON.stringify({ names, esModule: entry.__esModule, default: "default" in entry }));
    `;
    assert.equal(await evaluate("a.cjs", text), { names, esModule: true, default: false });
  });

  it(`exports exactly its names by import: ${entry}`, async () => {
    const text = `import * as all from ${JSON.stringify(entry)}; console.log(JSON.stringify(Object.keys(all).sort()));`;
    assert.equal(await evaluate("a.mjs", text), [...names, "default"].sort());
  });
}

it("shares one implementation between its entries", async () => {
  const text = `
    const { context } = require("zmtp");
    const { Context } = require("zmtp/v5-compat");
    Context.setMaxSockets(77);
    console.log(JSON.stringify(context.maxSockets));
  `;
  assert.is(await evaluate("shared.cjs", text), 77);
});

it("is loaded once: every entry gives the same objects by require and by import", async () => {
  const entries = Object.keys(manifest().exports as object).filter((entry) => !entry.endsWith(".json"));
  const text = `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    const other = [];
    for (const entry of ${JSON.stringify(entries.map((entry) => path.posix.join("zmtp", entry)))}) {
      const required = require(entry);
      const imported = await import(entry);
      const names = new Set([...Object.keys(required), ...Object.keys(imported)]);
      names.delete("default");
      for (const name of names) if (required[name] !== imported[name]) other.push(entry + ": " + name);
      if (imported.default !== required) other.push(entry + ": default");
    }
    console.log(JSON.stringify(other));
  `;
  assert.equal(await evaluate("once.mjs", text), []);
});

it("loads without a warning, and lets the process end", async () => {
  const text = `
    process.on("warning", (warning) => { throw warning; });
    require("zmtp");
    console.log(JSON.stringify(process.getActiveResourcesInfo().filter((kind) => !/^(TTY|Pipe)Wrap$/.test(kind))));
  `;
  assert.equal(await evaluate("quiet.cjs", text, "--pending-deprecation"), []);
});

it("can be bundled into one file", async () => {
  const { build } = await import("esbuild");
  writeFileSync(
    path.join(folder, "app.mjs"),
    'import { version } from "zmtp";\nconsole.log(JSON.stringify(version));\n',
  );
  await build({
    absWorkingDir: folder,
    entryPoints: ["app.mjs"],
    bundle: true,
    platform: "node",
    outfile: "out/app.cjs",
    logLevel: "silent",
  });
  const version = await run(process.execPath, "out/app.cjs");
  assert.is(JSON.parse(version), await evaluate("version.cjs", 'console.log(JSON.stringify(require("zmtp").version))'));
});

/**
 * A program for the original; compiled, it shows that the types were found: of an untyped module nothing would be
 * wrong.
 */
const PROGRAM = readFileSync(path.join(ROOT, "spec/package/program.ts"), "utf8");

/** What is ours, or wrong. */
const OURS = `
import { Authenticator } from "zmtp/auth";
export const authenticator: Authenticator = new Authenticator();
const router = new zmq.Router();
router.routingId = Buffer.from("id");
router.connect("tcp://127.0.0.1:1", { routingId: Buffer.from("id") });
// @ts-expect-error There is no such export.
export const missing = zmq.noSuchName;
// @ts-expect-error It is a type only.
zmq.ErrnoError;
// @ts-expect-error There is no such type.
v5.socket("foo");
// @ts-expect-error There is no such export.
export { noSuchName } from "zmtp/auth";
`;

/** A default import of CommonJS types is an ES module's only. */
const DEFAULTS = `
import everything from "zmtp";
export const pushing: zmq.Push = new everything.Push();
import compatible from "zmtp/v5-compat.js";
export const older: v5.Socket = compatible.socket("req");
`;

/** How CommonJS was imported before, and is where modules are taken as they are written. */
const REQUIRES = `
import everything = require("zmtp");
export const pushing: zmq.Push = new everything.Push();
import compatible = require("zmtp/v5-compat");
export const older: v5.Socket = compatible.socket("req");
`;

type Options = Record<string, string | boolean>;

type Resolution = [title: string, compiler: string, file: string, text: string, options: Options];

const RESOLUTIONS: Resolution[] = [
  [
    "node16, from an ES module, strictest",
    "typescript",
    "user.mts",
    PROGRAM + OURS + DEFAULTS,
    { module: "node16", exactOptionalPropertyTypes: true, isolatedModules: true, verbatimModuleSyntax: true },
  ],
  ["nodenext, from CommonJS", "typescript", "user.cts", PROGRAM + OURS + REQUIRES, { module: "nodenext" }],
  ["bundler", "typescript", "user.ts", PROGRAM + OURS, { module: "esnext", moduleResolution: "bundler" }],
  [
    "node (the old way), without esModuleInterop",
    "typescript-5",
    "user.ts",
    PROGRAM + OURS + REQUIRES,
    { module: "commonjs", moduleResolution: "node10", esModuleInterop: false },
  ],
  [
    "node, by TypeScript 3.7 for ES5, with Node's types of that time",
    "typescript-3",
    "user.ts",
    PROGRAM + REQUIRES,
    { module: "commonjs", moduleResolution: "node", target: "es5" },
  ],
];

/** Compiles a file of the user's folder, which may be in a folder of its own there. */
async function compile(compiler: string, file: string, text: string, options: Options): Promise<void> {
  const types = mkdtempSync(path.join(folder, "types-"));
  symlinkSync(
    path.join(ROOT, "node_modules", compiler === "typescript-3" ? "types-node-12" : "@types/node"),
    path.join(types, "node"),
  );
  writeFileSync(path.join(folder, file), text);
  const config = {
    compilerOptions: {
      target: "es6",
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      // Node's types come in because the declarations ask for them: newer compilers take none by themselves.
      types: [],
      typeRoots: [types],
      ...options,
    },
    files: [file],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  await run(process.execPath, path.join(ROOT, "node_modules", compiler, "bin/tsc"), "-p", "tsconfig.json");
}

for (const [title, compiler, file, text, options] of RESOLUTIONS) {
  it(`has types for moduleResolution ${title}`, () => compile(compiler, file, text, options), SLOW);
}

/** How programs were compiled when `zeromq` 5 was current. */
const OLD_WAY = { module: "commonjs", moduleResolution: "node10" };

const ORIGINAL = path.join(ROOT, "interop/node_modules/zeromq");
const COMPILES = "its users' program compiles with the original, too";
if (existsSync(ORIGINAL) || process.env.CI) {
  const check = async (): Promise<void> => {
    mkdirSync(path.join(folder, "original/node_modules"), { recursive: true });
    symlinkSync(ORIGINAL, path.join(folder, "original/node_modules/zeromq"));
    const text = PROGRAM.replace(/"zmtp(?=["/])/g, '"zeromq');
    await compile("typescript-5", "original/user.ts", text, OLD_WAY);
  };
  it(COMPILES, check, SLOW);
} else it.skip(COMPILES, "npm ci --prefix interop was not run");

/** A dependency that asks for `zeromq` 5 gets this by an override: the same files, with another manifest. */
const VERSION_5 = `
  const zmq = require("zeromq");
  const [server, client] = [zmq.socket("rep"), zmq.socket("req")];
  server.on("message", (question, mark) => server.send(["re", question + mark]));
  client.on("message", (...frames) => {
    console.log(JSON.stringify(frames.map(String)));
    server.close();
    client.close();
  });
  server.bind("tcp://127.0.0.1:*", (error) => {
    if (error) throw error;
    client.connect(server.last_endpoint);
    client.send(["why", "?"]);
  });
`;

it(
  "can be packed as version 5 of the original, by its manifest alone",
  async () => {
    const installed = path.join(folder, "old/node_modules/zeromq");
    cpSync(path.join(folder, "node_modules/zmtp"), installed, { recursive: true });
    const [main, types] = ["./dist/v5-compat.cjs", "./dist/types/v5-compat.d.ts"];
    const { module: _, ...fields } = manifest();
    const changed = {
      ...fields,
      name: "zeromq",
      version: "5.3.1",
      main,
      types,
      exports: { ".": { types, default: main } },
    };
    writeFileSync(path.join(installed, "package.json"), JSON.stringify(changed));
    assert.equal(await evaluate("old/program.cjs", VERSION_5), ["re", "why?"]);
    const typed = `
    import * as zmq from "zeromq";
    export const socket: zmq.Socket = zmq.socket("req").on("message", (...frames: Buffer[]) => frames);
    // @ts-expect-error There is no such type.
    zmq.socket("foo");
  `;
    await compile("typescript-5", "old/user.ts", typed, OLD_WAY);
    await compile("typescript", "old/user.cts", typed, { module: "node16" });
    await compile("typescript-3", "old/user.ts", typed.replace(/.*(expect-error|foo).*/g, ""), {
      ...OLD_WAY,
      moduleResolution: "node",
    });
  },
  SLOW,
);

it.run();
