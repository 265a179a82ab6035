/**
 * Processor time of a server for a peer that connects, shakes hands and leaves, against a server of Node's own sockets that exchanges the
 * same octets in the same flights.
 *
 *   node bench/micro/accept.mjs [--nodes 20,22,24,26] [--count 10000] [--batch 200] [--impl zmtp,native] [--many 50]
 *
 * Peers come in a burst, `--many` at the same time, and one after the other. Each server is a process of its own; they take turns with one
 * batch of peers each, since a busy machine changes from second to second. The peers are this process. The first tenth is the warm-up. What is shown
 * is the median of the batches, of the ratio too.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { readFlags, readList } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { prepareNodes, readName } from "../lib/nodes.mjs";
import { handshake } from "../lib/raw-peer.mjs";
import { table } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";

/** Octets: what either side says before it knows anything of the other, and the whole greeting. */
const SIGNATURE_BYTES = 10;
const GREETING_BYTES = 64;

/** What Node's own server says, and each peer. */
const OURS = handshake("PULL");
const THEIRS = handshake("PUSH");

if (process.send === undefined) await compare();
else await serve(process.argv[2]);

// The process under test.

/** @param {string} implementation */
async function serve(implementation) {
  const port = implementation === "net" ? await serveRaw() : await serveSocket(load(implementation).zmq);
  let before = process.cpuUsage();
  process.on("message", () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    process.send?.({ user, system });
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ port });
}

/** @param {any} zmq */
async function serveSocket(zmq) {
  const pull = new zmq.Pull();
  await pull.bind("tcp://127.0.0.1:*");
  // Nothing comes, but it keeps the process alive.
  pull.receive().catch(() => {});
  return Number(/\d+$/.exec(pull.lastEndpoint)?.[0]);
}

async function serveRaw() {
  const server = createServer((socket) => {
    let got = 0;
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const had = got;
      got += chunk.length;
      if (had < SIGNATURE_BYTES && got >= SIGNATURE_BYTES)
        socket.write(OURS.subarray(SIGNATURE_BYTES, SIGNATURE_BYTES + 1));
      if (had < GREETING_BYTES && got >= GREETING_BYTES) socket.write(OURS.subarray(SIGNATURE_BYTES + 1));
    });
    socket.write(OURS.subarray(0, SIGNATURE_BYTES));
  });
  await once(server.listen({ port: 0, host: "127.0.0.1", backlog: 100 }), "listening");
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

// The runner, which is the peers.

async function compare() {
  const { flags } = readFlags({ values: ["nodes", "count", "batch", "impl", "many"] });
  const releases = readList(flags.nodes) ?? [];
  const versions = prepareNodes(releases);
  const programs = releases.length === 0 ? [process.execPath] : releases.map((one) => readName(`zmtp@${one}`).program);
  const names = releases.length === 0 ? [process.version.slice(1)] : Object.values(versions);
  const implementations = ["net", ...(readList(flags.impl) ?? ["zmtp"])];
  const count = Number(flags.count ?? 10_000);
  const batch = Number(flags.batch ?? 200);
  const rows = [["peers come", "Node", "server", "user µs each", "system µs each", "both", "× net"]];
  for (const [title, many] of /** @type {const} */ ([
    ["in a burst", Number(flags.many ?? 50)],
    ["one after the other", 1],
  ])) {
    for (const [at, program] of programs.entries()) {
      const servers = await Promise.all(implementations.map((implementation) => start(program, implementation)));
      for (const server of servers) await visits(server.port, count / 10, many);
      for (let done = 0; done < count; done += batch) {
        for (const server of servers) server.taken.push(await cost(server, batch, many));
      }
      for (const server of servers)
        rows.push([title, names[at], server.implementation, ...figures(server, servers[0])]);
      for (const { child } of servers) child.disconnect();
    }
    process.stderr.write(`${title}\n`);
  }
  console.log(table(rows));
  process.exit();
}

/** @typedef {{ user: number, system: number, both: number }} Cost In microseconds. */

/** @param {string | undefined} program @param {string} implementation */
async function start(program, implementation) {
  const child = fork(fileURLToPath(import.meta.url), [implementation], { execPath: program });
  const [{ port }] = await once(child, "message");
  return { child, port, implementation, taken: /** @type {Cost[]} */ ([]) };
}

/** @typedef {Awaited<ReturnType<typeof start>>} Server */

/** @param {Server} server @param {number} count @param {number} many @returns {Promise<Cost>} */
async function cost({ child, port }, count, many) {
  const usage = async () => {
    child.send("usage");
    return (await once(child, "message"))[0];
  };
  await usage();
  await visits(port, count, many);
  const { user, system } = await usage();
  return { user: user / count, system: system / count, both: (user + system) / count };
}

/** @param {Server} server @param {Server} base */
function figures({ taken }, base) {
  const of = (/** @type {keyof Cost} */ name) => median(taken.map((one) => one[name])).toFixed(0);
  const ratio = median(taken.map(({ both }, round) => both / base.taken[round].both));
  return [of("user"), of("system"), of("both"), `${ratio.toFixed(2)} ×`];
}

/** So many peers, `many` of them at the same time. @param {number} port @param {number} count @param {number} many */
async function visits(port, count, many) {
  let left = count;
  const visitor = async () => {
    while (left-- > 0) await visit(port);
  };
  await Promise.all(Array.from({ length: many }, visitor));
}

/** A peer that speaks as libzmq does, step by step, and leaves when the handshake is done. @param {number} port */
function visit(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let got = 0;
    socket.setNoDelay(true);
    socket.write(THEIRS.subarray(0, SIGNATURE_BYTES));
    socket.on("data", (chunk) => {
      const had = got;
      got += chunk.length;
      if (had < SIGNATURE_BYTES && got >= SIGNATURE_BYTES)
        socket.write(THEIRS.subarray(SIGNATURE_BYTES, GREETING_BYTES));
      if (had < GREETING_BYTES && got >= GREETING_BYTES) socket.write(THEIRS.subarray(GREETING_BYTES));
      if (had < OURS.length && got >= OURS.length) socket.end();
    });
    socket.on("error", () => {});
    socket.on("close", resolve);
  });
}
