/**
 * A notebook's client and its kernel: the client connects, subscribes and asks in one turn, and the kernel publishes as soon as it is
 * asked. Each end in turn is the package under test, and the other the original: what a pair of originals delivers has to arrive. Since
 * those lose some too, each pairing is tried until everything arrives.
 *
 *   node subscribe-and-ask.mjs MODULE
 *   node subscribe-and-ask.mjs MODULE RUNS [PATTERN]     counts what is lost, in all pairings or those whose title matches
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { print, sleep, text, zmq } from "./lib.mjs";

const MODULE = process.argv[2] ?? "zeromq";
const COMPUTING_MS = 40;
const SILENCE_MS = 300;
const TRIES = 12;
const PUBLISHED = ["status busy", "stream 1", "stream 2", "status idle"];

if (process.argv[3] === "kernel") await kernel();
else if (process.argv[3] === "client") await client();
else await compare();

/** Answers questions, and publishes what it does meanwhile. */
async function kernel() {
  const [, , , , folder, computes] = process.argv;
  const at = (/** @type {string} */ name) => (folder === "tcp" ? "tcp://127.0.0.1:*" : `ipc://${join(folder, name)}`);
  const [shell, control, iopub] = [new zmq.Router(), new zmq.Router(), new zmq.Publisher()];
  await shell.bind(at("shell"));
  await control.bind(at("control"));
  await iopub.bind(at("iopub"));
  process.send?.([shell.lastEndpoint, control.lastEndpoint, iopub.lastEndpoint]);
  for await (const [id, question] of shell) {
    for (const [i, words] of PUBLISHED.entries()) {
      if (i > 0 && computes === "computes") compute();
      await iopub.send(words);
    }
    await shell.send([id, `answer to ${question}`]);
  }
}

/** Nothing else can run meanwhile. */
function compute() {
  for (const end = performance.now() + COMPUTING_MS; performance.now() < end; );
}

/** All in one turn, and then it listens until nothing comes any more. */
async function client() {
  const [, , , , order, ...addresses] = process.argv;
  const [shell, control, iopub] = [new zmq.Dealer(), new zmq.Dealer(), new zmq.Subscriber()];
  const connecting = [
    () => shell.connect(addresses[0]),
    () => control.connect(addresses[1]),
    () => {
      iopub.connect(addresses[2]);
      iopub.subscribe();
    },
  ];
  for (const connect of order === "last" ? connecting : connecting.reverse()) connect();
  const asked = shell.send("who are you?");
  /** @type {string[]} */
  const heard = [];
  const listening = (async () => {
    for await (const message of iopub) heard.push(text(message));
  })();
  await asked;
  await shell.receive();
  for (let count = -1; count !== heard.length || count < 0; await sleep(SILENCE_MS)) {
    if (heard.length === PUBLISHED.length) break;
    count = heard.length;
  }
  iopub.close();
  await listening;
  process.send?.(heard);
  for (const socket of [shell, control]) socket.close();
}

/** One pair of processes. @param {string[]} modules @param {string} transport @param {string} order @param {string} manner */
async function one([client, kernel], transport, order, manner) {
  const folder = transport === "tcp" ? "tcp" : await mkdtemp(join(tmpdir(), "ask-"));
  const program = fileURLToPath(import.meta.url);
  const server = fork(program, [kernel, "kernel", folder, manner]);
  const [addresses] = await once(server, "message");
  const asking = fork(program, [client, "client", order, ...addresses]);
  const [heard] = await once(asking, "message");
  const ends = [once(asking, "exit"), once(server, "exit")];
  if (asking.connected) asking.disconnect();
  server.kill();
  await Promise.all(ends);
  if (folder !== "tcp") await rm(folder, { recursive: true, force: true });
  return /** @type {string[]} */ (heard);
}

/** What ends may be the package under test, over what, and how. */
function* pairings() {
  for (const [who, modules] of Object.entries({
    "the client": [MODULE, "zeromq"],
    "the kernel": ["zeromq", MODULE],
    both: [MODULE, MODULE],
  }))
    for (const transport of ["tcp", "ipc"])
      for (const manner of ["publishes", "computes"])
        for (const order of ["first", "last"])
          yield {
            title: `${who} over ${transport}, a kernel that ${manner}, iopub connects ${order}`,
            run: () => one(modules, transport, order, manner),
            // A pair of originals loses much where the question is a connection ahead.
            isShort: transport === "tcp" && order === "first",
          };
}

async function compare() {
  for (const { title, run, isShort } of pairings()) {
    if (process.argv[3] === undefined) {
      if (!isShort) continue;
      let count = 0;
      let tries = 0;
      while (count < PUBLISHED.length && tries++ < TRIES) count = (await run()).length;
      print(title, count);
    } else if (new RegExp(process.argv[4] ?? "").test(title)) {
      /** @type {Record<string, number>} */
      const lost = {};
      for (let i = 0; i < Number(process.argv[3]); i++) {
        const heard = await run();
        for (const words of PUBLISHED) if (!heard.includes(words)) lost[words] = (lost[words] ?? 0) + 1;
      }
      print(title, Object.keys(lost).length === 0 ? "nothing is lost" : lost);
    }
  }
}
