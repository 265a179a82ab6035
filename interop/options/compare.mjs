#!/usr/bin/env node
/**
 * Sets and reads every option of every class and of contexts, in the original and in this package, side by side: by name and by
 * number, on a socket that is new, bound, connected or closed, and in the constructor. What is read, the error and the process
 * warning have to be the same, but for the differences in `differences.mjs`. Needs a build.
 *
 *     node interop/options/compare.mjs [words of a step, as "Dealer bound: linger"]
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { ADDITIONS, DIFFERENCES, PAGE } from "./differences.mjs";
import { FEW, VALUES } from "./values.mjs";

/** @typedef {import("./differences.mjs").Step} Step */
/** @typedef {import("./differences.mjs").Numbered} Numbered */
/** @typedef {Record<string, any>} Open a socket, a context or a module, whose members are looked up by name */

const OURS = new URL("../../dist/index.mjs", import.meta.url);
const STATES = /** @type {const} */ (["new", "bound", "connected", "closed"]);
/** The calls by number of a socket, by the type of the value, and those of a context. */
const KINDS = ["Bool", "Int32", "Uint32", "Int64", "Uint64", "String"];
const CONTEXT_KINDS = ["Bool", "Int32"];
/** Numbers of no option. */
const NO_NUMBERS = [-1, 0, 999, 2 ** 32, "17", null, undefined];
/** Declared, and in neither package. */
const MISSING = ["gssapiServer", "gssapiPrincipal", "nothing"];
/** Accessors that are no options. */
const STATE = ["events", "context", "closed", "readable", "writable", "lastPeer"];
/** More than are open at a time. */
const SOCKETS_MAX = 10_000;
const SHOWN = 20;

if (!existsSync(fileURLToPath(OURS))) {
  console.log("there is no dist/index.mjs: run npm run build");
  console.log("0 passed, 1 failed");
  process.exit(1);
}
/** @type {Open[]} the original, and this package */
const packages = [await import("zeromq"), await import(OURS.href)];
/** Every type of socket. */
const CLASSES = Object.keys(packages[0]).filter((name) => packages[0][name].prototype instanceof packages[0].Socket);
const contexts = packages.map(({ Context }) => new Context({ maxSockets: SOCKETS_MAX }));

/** @type {string[]} */
const warnings = [];
process.emitWarning = (/** @type {string | Error} */ warning) => void warnings.push(String(warning));

const words = process.argv.slice(2).join(" ");
let steps = 0;
/** Steps that nobody wants to differ. @type {Step[]} */
const failures = [];
/** Steps of each difference. @type {Map<object, number>} */
const met = new Map();

/** What an action gives, a value or an error, and what it warns of. @param {() => unknown} action */
function outcome(action) {
  warnings.length = 0;
  let result;
  try {
    result = inspect(action(), { breakLength: Number.POSITIVE_INFINITY }).replace(/(?<=:)\d{4,5}(?='$)/, "PORT");
  } catch (error) {
    const { name, code, errno, message } = /** @type {NodeJS.ErrnoException} */ (error);
    result = `throws ${[name, code, errno, message].filter((word) => word !== undefined).join(" ")}`;
  }
  return [result, ...warnings.sort()].join("; warns: ");
}

/**
 * Does the same with both.
 * @param {Open[]} both @param {string} where @param {unknown} option @param {string} what
 * @param {(one: Open) => unknown} action
 */
function compare([there, here], where, option, what, action) {
  steps++;
  /** @type {Step} */
  const step = { where, option, what, there: outcome(() => action(there)), here: outcome(() => action(here)) };
  if (step.there === step.here) return;
  const difference = DIFFERENCES.find(({ is }) => is(step));
  if (difference === undefined) failures.push(step);
  else met.set(difference, (met.get(difference) ?? 0) + 1);
}

/** Names of the accessors that a class has. @param {Open} prototype @returns {string[]} */
function accessorsOf(prototype) {
  if (prototype === Object.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  const names = own.filter(([, { get, set }]) => get !== undefined || set !== undefined).map(([name]) => name);
  return [...names, ...accessorsOf(Object.getPrototypeOf(prototype))];
}

/** All options that the class has in one of the packages, but for additions. @param {string} name */
function optionsOf(name) {
  const found = packages.flatMap((zmq) => accessorsOf(zmq[name].prototype));
  const others = [...STATE, ...Object.keys(ADDITIONS)];
  return [...new Set([...found, ...MISSING])].filter((option) => !others.includes(option));
}

/**
 * The accessor of an option, wherever it stands.
 * @param {Open | null} object @param {string} option @returns {PropertyDescriptor}
 */
function accessorOf(object, option) {
  if (object === null) return {};
  return Object.getOwnPropertyDescriptor(object, option) ?? accessorOf(Object.getPrototypeOf(object), option);
}

/** @param {PropertyDescriptor} accessor */
const accessOf = ({ get, set, enumerable }) => [get && "get", set && "set", enumerable && "enumerable"].filter(Boolean);

/**
 * The numbers of a class's options and their types: the original's accessors tell them to whoever stands in for a socket.
 * @param {string} name
 */
function numbersOf(name) {
  /** @type {Numbered[]} */
  const numbers = [];
  /** @type {Open} */
  const listener = {};
  for (const kind of KINDS) {
    const hear = (/** @type {number} */ id) => void numbers.push([id, kind]);
    Object.assign(listener, { [`get${kind}Option`]: hear, [`set${kind}Option`]: hear });
  }
  for (const option of optionsOf(name)) {
    const { get, set } = accessorOf(packages[0][name].prototype, option);
    if (set) set.call(listener, undefined);
    else if (get) get.call(listener);
  }
  return [...numbers, ...Object.values(ADDITIONS).filter(([id]) => id >= 0)];
}

/** @param {string} option @param {unknown} value @returns {(one: Open) => void} */
const setting = (option, value) => (one) => {
  one[option] = value;
};

/**
 * Every option with every value, and after each option all of them as they stand.
 * @param {Open[]} both @param {string} where @param {string[]} options @param {typeof VALUES} values
 */
function byName(both, where, options, values) {
  for (const option of options) {
    compare(both, where, option, "is", (one) => accessOf(accessorOf(one, option)));
    compare(both, where, option, "read at first", (one) => one[option]);
  }
  for (const option of options) {
    for (const [given, value] of values) {
      compare(both, where, option, `= ${given}`, setting(option, value));
      compare(both, where, option, `read after ${given}`, (one) => one[option]);
    }
    for (const other of options) compare(both, where, other, `read after ${option}`, (one) => one[other]);
  }
}

/**
 * The same by number.
 * @param {Open[]} both @param {string} where @param {Numbered[]} numbers @param {string[]} kinds
 */
function byNumber(both, where, numbers, kinds) {
  for (const [id, kind] of [
    ...numbers,
    ...NO_NUMBERS.flatMap((id) => kinds.map((kind) => /** @type {const} */ ([id, kind]))),
  ]) {
    const [get, set] = [`get${kind}Option`, `set${kind}Option`];
    compare(both, where, id, get, (one) => one[get](id));
    for (const [given, value] of FEW) {
      if (isFatal(id, value)) continue;
      compare(both, where, id, `${set} ${given}`, (one) => one[set](id, value));
      compare(both, where, id, `${get} after ${given}`, (one) => one[get](id));
    }
  }
}

/**
 * Numbers by the calls of the other numeric types: those of the same width agree, the rest is refused.
 * @param {Open[]} both @param {string} where @param {Numbered[]} numbers
 */
function byOtherKinds(both, where, numbers) {
  for (const [id, own] of numbers.filter(([, kind]) => kind !== "String")) {
    for (const kind of KINDS.filter((kind) => kind !== own && kind !== "String")) {
      const value = kind === "Bool" ? true : 1;
      compare(both, where, id, `get${kind}Option`, (one) => one[`get${kind}Option`](id));
      compare(both, where, id, `set${kind}Option ${value}`, (one) => one[`set${kind}Option`](id, value));
    }
  }
}

/** Ends the process in the original: libzmq reads a flag out of no octets. @param {unknown} id @param {unknown} value */
const isFatal = (id, value) => id === 115 && value === null;

/** Both sockets of a class, in a state. @param {string} name @param {string} state @param {string} peer */
async function openBoth(name, state, peer) {
  const both = packages.map((zmq, i) => new zmq[name]({ context: contexts[i], linger: 0 }));
  for (const socket of both) {
    if (state === "bound") await socket.bind("tcp://127.0.0.1:*");
    if (state === "connected") socket.connect(peer);
    if (state === "closed") socket.close();
  }
  return both;
}

/** @param {Open} socket */
function close(socket) {
  if (!socket.closed) socket.linger = 0;
  socket.close();
}

/** Sockets that are made with one option. @param {string} name */
function inConstructor(name) {
  const both = packages.map((zmq, i) => ({ Type: zmq[name], context: contexts[i] }));
  for (const option of optionsOf(name)) {
    for (const [given, value] of FEW) {
      compare(both, `new ${name}`, option, `= ${given}`, ({ Type, context }) => {
        const socket = new Type({ context, [option]: value });
        close(socket);
        return Object.keys(socket);
      });
    }
  }
}

/** Somebody to connect to, who never says anything. */
const server = createServer((socket) => socket.on("error", () => {}).resume());
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const peer = `tcp://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;

for (const name of CLASSES) {
  for (const state of STATES) {
    const named = await openBoth(name, state, peer);
    byName(named, `${name} ${state}`, optionsOf(name), state === "new" ? VALUES : FEW);
    const numbered = await openBoth(name, state, peer);
    byNumber(numbered, `${name} ${state}`, numbersOf(name), KINDS);
    byOtherKinds(numbered, `${name} ${state}`, numbersOf(name));
    for (const socket of [...named, ...numbered]) close(socket);
  }
  inConstructor(name);
}
const full = packages.map(({ Context, Push }) => {
  const context = new Context({ maxSockets: 1 });
  return { Push, context, socket: new Push({ context }) };
});
compare(full, "Context", "maxSockets", "one socket too many", ({ Push, context }) => new Push({ context }));
const fresh = () => packages.map(({ Context }) => new Context());
byName(fresh(), "Context", optionsOf("Context"), VALUES);
byNumber(fresh(), "Context", numbersOf("Context"), CONTEXT_KINDS);
/** Sockets get their first values from their context. */
for (const option of ["ipv6", "blocky"]) {
  for (const value of [true, false]) {
    const both = packages.map((zmq) => ({ zmq, context: new zmq.Context({ [option]: value }) }));
    for (const name of CLASSES) {
      compare(both, `${name} of a context`, `${option} = ${value}`, "read linger, ipv6", ({ zmq, context }) => {
        const socket = new zmq[name]({ context });
        const first = [socket.linger, socket.ipv6];
        close(socket);
        return first;
      });
    }
  }
}

const page = readFileSync(PAGE, "utf8");
const gone = DIFFERENCES.filter((difference) => !met.has(difference)).map(
  ({ row }) => `does not differ any more: ${row}`,
);
const untold = DIFFERENCES.filter(({ row }) => !page.includes(`\n| ${row} |`)).map(
  ({ row }) => `not in ${PAGE.pathname}: ${row}`,
);
const shown = failures
  .map(({ where, option, what, there, here }) => `${where}: ${option} ${what}\n    zeromq ${there}\n    zmtp   ${here}`)
  .filter((text) => text.includes(words));
for (const text of [...gone, ...untold, ...shown.slice(0, SHOWN)]) console.log(text);
if (shown.length > SHOWN) console.log(`and ${shown.length - SHOWN} more`);
const failed = failures.length + gone.length + untold.length;
console.log(`${steps - failures.length} passed, ${failed} failed`);
// Sockets of the original hold the process until their context has ended.
process.exit(failed > 0 ? 1 : 0);
