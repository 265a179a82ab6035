/**
 * What an implementation costs when it does nothing: memory for each idle connection, memory that connections leave
 * behind, the rate at which they can come and go, the time to load it, and what an installation weighs.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { modulePath, PACKAGE_PATH } from "../lib/implementation.mjs";
import { readName } from "../lib/nodes.mjs";
import { Child } from "../lib/process.mjs";
import { nodeCommand } from "../lib/programs.mjs";
import { ask, openSession } from "../lib/session.mjs";

/** Opened before the first reading, so that code and tables that all connections share are not counted. */
const FIRST_CONNECTIONS = 100;

/** How long a process is left alone, twice, before its memory is read. */
const SETTLE_MS = 200;

const LOOPBACK = "tcp://127.0.0.1:*";

/**
 * Resident octets of the bound process for each of so many silent peers.
 *
 * @param {{ connections: number, settleMs?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function idleMemory({ connections, settleMs = SETTLE_MS, implementations }) {
  return {
    id: `memory-${connections}`,
    title: `memory per connection, ${connections} idle`,
    unit: "bytes",
    implementations,
    once: true,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const { server, clients } = await startPair(start);
        return async () => {
          await ask(clients, `connect ${FIRST_CONNECTIONS}`);
          const before = (await ask(server, `memory ${settleMs}`)).bytes;
          const { held } = await ask(clients, `connect ${connections}`, 60_000);
          const after = (await ask(server, `memory ${settleMs}`)).bytes;
          return { value: (after - before) / connections, before, after, held };
        };
      }),
  };
}

/**
 * Growth of the bound process over so many connections that come and go, in octets each, after as many before.
 *
 * @param {{ connections: number, settleMs?: number, implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function churnMemory({ connections, settleMs = SETTLE_MS, implementations }) {
  return {
    id: `churn-${connections}`,
    title: `memory left per connection, ${connections} come and gone`,
    unit: "bytes",
    implementations,
    once: true,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const { server, clients } = await startPair(start);
        return async () => {
          await ask(clients, `churn ${connections}`, 600_000);
          const before = (await ask(server, `memory ${settleMs}`)).bytes;
          await ask(clients, `churn ${connections}`, 600_000);
          const after = (await ask(server, `memory ${settleMs}`)).bytes;
          return { value: (after - before) / connections, before, after };
        };
      }),
  };
}

/**
 * Connections a second that are made, shake hands and are closed by the peer, fifty at a time.
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function connectionRate({ implementations }) {
  return {
    id: "connection-rate",
    title: "connections that come and go",
    unit: "connections/s",
    implementations,
    open: (implementation) =>
      openSession(implementation, async (start) => {
        const { clients } = await startPair(start);
        let rate = 1000;
        return async (durationMs) => {
          const count = Math.max(50, Math.round((rate * durationMs) / 1000));
          const before = performance.now();
          await ask(clients, `churn ${count}`, durationMs * 10);
          rate = count / ((performance.now() - before) / 1000);
          return { value: rate, connections: count };
        };
      }),
  };
}

/**
 * Octets on the disk after an installation: the packed package unpacked; the binding with what it depends on; the shared
 * library alone.
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function installSize({ implementations }) {
  return {
    id: "install-size",
    title: "installed size",
    unit: "bytes",
    implementations,
    once: true,
    rounds: 1,
    withoutNode: true,
    open: async (implementation) => ({
      async sample() {
        return { value: installedBytes(implementation) };
      },
      async close() {},
    }),
  };
}

/** @param {string} implementation */
function installedBytes(implementation) {
  if (implementation === "zmtp") {
    const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: PACKAGE_PATH,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return Object.values(JSON.parse(output))[0].unpackedSize;
  }
  if (implementation === "libzmq-c") {
    const library = execFileSync(
      "sh",
      ["-c", "ldconfig -p | sed -n 's/.*=> \\(.*libzmq\\.so\\.5\\)$/\\1/p' | head -n 1"],
      { encoding: "utf8" },
    );
    return statSync(realpathSync(library.trim())).size;
  }
  return (
    folderBytes(packageFolder("zeromq")) + dependenciesOf("zeromq").reduce((sum, one) => sum + folderBytes(one), 0)
  );
}

/** @param {string} name */
function packageFolder(name) {
  return fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
}

/** @param {string} name @returns {string[]} Folders. */
function dependenciesOf(name) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(packageFolder(name), "package.json"), "utf8"));
  return Object.keys(dependencies).flatMap((one) => [packageFolder(one), ...dependenciesOf(one)]);
}

/** @param {string} folder @returns {number} */
function folderBytes(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? folderBytes(path) : statSync(path).size);
  }, 0);
}

/**
 * Wall time of a process that does nothing but `require`; "node" is one that requires nothing.
 *
 * @param {{ implementations: string[] }} options
 * @returns {import("../lib/rounds.mjs").Scenario}
 */
export function loadTime({ implementations }) {
  return {
    id: "load",
    title: "process that loads it and ends",
    unit: "ms",
    implementations,
    samples: 5,
    open: async (implementation) => {
      const isBare = readName(implementation).implementation === "node";
      const script = isBare ? "" : `require(${JSON.stringify(modulePath(implementation))})`;
      const text = `const t = performance.now(); ${script}; console.log(JSON.stringify({ event: "done", requireMs: performance.now() - t })); process.exit()`;
      return {
        async sample() {
          const start = performance.now();
          const child = new Child(`load (${implementation})`, ...nodeCommand(implementation, ["-e", text]));
          const { requireMs } = await child.next("done");
          await child.ended;
          return { value: performance.now() - start, requireMs };
        },
        async close() {},
      };
    },
  };
}

/** @param {import("../lib/session.mjs").Start} start */
async function startPair(start) {
  const server = start("idle-server", { address: LOOPBACK }, { nodeFlags: ["--expose-gc"] });
  const { address } = await server.next("ready");
  const clients = start("idle-clients", { address });
  await clients.next("ready");
  return { server, clients };
}
