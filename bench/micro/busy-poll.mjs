/**
 * What polling for an answer gains, and what others in the process pay: every situation with a context's `busyPoll` at 0 and at 250,
 * samples interleaved, each in a process of its own.
 *
 *   node bench/micro/busy-poll.mjs [--nodes 20,22,24,26] [--rounds 5] [--seconds 1] [--only round-trip]
 *
 * Under `taskset -c 0`, or beside something else that is busy, it shows that polling gives way. Each line is the median of the
 * rounds: processor time of the process under test for each unit of work, how long a unit took, and how late a timer of one
 * millisecond in that process fired, half of the time and at worst.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { readFlags, readList } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { prepareNodes, readName } from "../lib/nodes.mjs";
import { table } from "../lib/report.mjs";
import { median, quantile } from "../lib/statistics.mjs";

const LIMITS = [0, 250];
const HTTP_QUESTIONS_A_SECOND = 200;

/** @typedef {{ scenario: string, rate: number, busyPoll: number, seconds: number, question: string, source: string, sink: string }} Task */
/** @typedef {{ cpu: number, time: number, late: number, latest: number }} Figures In microseconds. */

/** What is tried. `rate` is a second's units of work; 0 is as many as go. */
const SITUATIONS = [
  { scenario: "round-trip", rate: 0, title: "round trips, one after the other" },
  ...[1, 100, 1000].map((rate) => ({ scenario: "paced", rate, title: `a dialogue of ${rate} questions a second` })),
  ...[1000, 4000, 10_000, 20_000].map((rate) => ({
    scenario: "stage",
    rate,
    title: `a stage of a pipeline, ${rate} inputs a second`,
  })),
  {
    scenario: "http",
    rate: HTTP_QUESTIONS_A_SECOND,
    title: `an HTTP server that asks for each of ${HTTP_QUESTIONS_A_SECOND} requests a second`,
  },
];

const { zmq } = load("zmtp");
if (process.send === undefined) await compare();
else process.once("message", (task) => serve(/** @type {Task} */ (task)));

// The process under test.

/** @param {Task} task */
async function serve(task) {
  const context = new zmq.Context({ busyPoll: task.busyPoll });
  const situations = { "round-trip": roundTrips, paced, stage, http: httpServer };
  const run = await situations[/** @type {keyof typeof situations} */ (task.scenario)](task, context);
  process.on("disconnect", () => process.exit());
  // The first run is the warm-up.
  await run(task.seconds);
  const late = watchTimers();
  const cpu = process.cpuUsage();
  const { count, time } = await run(task.seconds);
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ cpu: (user + system) / count, time, ...late() });
}

/** How late timers of one millisecond fire, from now on. */
function watchTimers() {
  /** @type {number[]} */
  const lateness = [];
  let due = performance.now() + 1;
  const timer = setInterval(() => {
    const now = performance.now();
    lateness.push((now - due) * 1000);
    due = now + 1;
  }, 1);
  return () => {
    clearInterval(timer);
    const sorted = Float64Array.from(lateness).sort();
    return { late: quantile(sorted, 0.5), latest: quantile(sorted, 0.999) };
  };
}

/** @param {Task} task @param {any} context */
async function roundTrips({ question }, context) {
  const request = new zmq.Request({ context, linger: 0 });
  request.connect(question);
  return async (/** @type {number} */ seconds) => {
    const stop = performance.now() + seconds * 1000;
    const start = performance.now();
    let count = 0;
    for (; performance.now() < stop; count++) {
      await request.send("x");
      await request.receive();
    }
    return { count, time: ((performance.now() - start) * 1000) / count };
  };
}

/** @param {Task} task @param {any} context */
async function paced({ question, rate }, context) {
  const request = new zmq.Request({ context, linger: 0 });
  request.connect(question);
  return async (/** @type {number} */ seconds) => {
    const least = Math.max(seconds * rate, 3);
    const times = [];
    for (let count = 0; count < least; count++) {
      await new Promise((resolve) => setTimeout(resolve, 1000 / rate));
      const start = performance.now();
      await request.send("x");
      await request.receive();
      times.push((performance.now() - start) * 1000);
    }
    return { count: times.length, time: median(times) };
  };
}

/** @param {Task} task @param {any} context */
async function stage({ source, sink }, context) {
  const pull = new zmq.Pull({ context });
  const push = new zmq.Push({ context });
  pull.connect(source);
  push.connect(sink);
  return async (/** @type {number} */ seconds) => {
    const stop = performance.now() + seconds * 1000;
    let count = 0;
    for (; performance.now() < stop; count++) await push.send(await pull.receive());
    return { count, time: Number.NaN };
  };
}

/** @param {Task} task @param {any} context */
async function httpServer({ question, rate }, context) {
  const request = new zmq.Request({ context, linger: 0 });
  request.connect(question);
  let turn = Promise.resolve();
  let served = 0;
  const server = http.createServer((incoming, response) => {
    if (incoming.url === "/plain") return response.end("plain");
    turn = turn.then(async () => {
      await request.send("x");
      response.end((await request.receive())[0]);
      served++;
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return async (/** @type {number} */ seconds) => {
    served = 0;
    process.send?.({ ask: port, rate, seconds });
    const [{ plain }] = await once(process, "message");
    return { count: served, time: plain };
  };
}

// The runner, which is the other end of everything.

async function compare() {
  const { flags } = readFlags({ values: ["nodes", "rounds", "seconds", "only"] });
  const releases = readList(flags.nodes) ?? [];
  const versions = prepareNodes(releases);
  const programs = releases.length === 0 ? [process.execPath] : releases.map((one) => readName(`zmtp@${one}`).program);
  const names = releases.length === 0 ? [process.version.slice(1)] : Object.values(versions);
  const seconds = Number(flags.seconds ?? 1);
  const reply = new zmq.Reply({ context: new zmq.Context({ busyPoll: 0 }) });
  await reply.bind("tcp://127.0.0.1:*");
  answer(reply);
  const rows = [["situation", "Node", "busyPoll", "CPU µs each", "× without", "µs each", "timer late, µs", "at worst"]];
  for (const { scenario, rate, title } of SITUATIONS.filter((one) => one.scenario.includes(flags.only ?? ""))) {
    const series = programs.flatMap((program, at) =>
      LIMITS.map((busyPoll) => ({ program, node: names[at], busyPoll, taken: /** @type {Figures[]} */ ([]) })),
    );
    for (let round = 0; round < Number(flags.rounds ?? 5); round++) {
      for (const { program, busyPoll, taken } of series) {
        taken.push(await sample(program, { scenario, rate, busyPoll, seconds, question: reply.lastEndpoint }));
      }
    }
    const of = (/** @type {{ taken: Figures[] }} */ { taken }, /** @type {keyof Figures} */ name) =>
      median(taken.map((one) => one[name]));
    for (const [at, one] of series.entries()) {
      const without = series[at - (at % LIMITS.length)];
      const show = (/** @type {number} */ value) => (Number.isNaN(value) ? "–" : value.toFixed(value < 100 ? 1 : 0));
      const cells = [of(one, "cpu"), of(one, "time"), of(one, "late"), of(one, "latest")].map(show);
      const ratio = `${(of(one, "cpu") / of(without, "cpu")).toFixed(2)} ×`;
      rows.push([title, one.node, String(one.busyPoll), cells[0], ratio, ...cells.slice(1)]);
    }
    process.stderr.write(`${title}\n`);
  }
  console.log(table(rows));
  process.exit();
}

/** @param {any} reply */
async function answer(reply) {
  for (;;) await reply.send(await reply.receive());
}

/**
 * One process under test.
 *
 * @param {string | undefined} program @param {Omit<Task, "source" | "sink">} task
 * @returns {Promise<Figures>}
 */
async function sample(program, task) {
  const context = new zmq.Context({ busyPoll: 0 });
  const source = new zmq.Push({ context, linger: 0 });
  const sink = new zmq.Pull({ context });
  for (const socket of [source, sink]) await socket.bind("tcp://127.0.0.1:*");
  const child = fork(fileURLToPath(import.meta.url), { execPath: program });
  child.send({ ...task, source: source.lastEndpoint, sink: sink.lastEndpoint });
  const stop = task.scenario === "stage" ? feed(source, sink, task.rate) : () => {};
  for (;;) {
    const [message] = await once(child, "message");
    if (message.ask === undefined) {
      child.disconnect();
      stop();
      for (const socket of [source, sink]) socket.close();
      await once(child, "exit");
      return message;
    }
    child.send({ plain: await askHttp(message) });
  }
}

/** Sends so many inputs a second, a few each millisecond. @param {any} source @param {any} sink @param {number} rate */
function feed(source, sink, rate) {
  let before = performance.now();
  let owed = 0;
  let isSending = false;
  const timer = setInterval(async () => {
    if (isSending) return;
    isSending = true;
    const now = performance.now();
    owed += ((now - before) * rate) / 1000;
    before = now;
    // It waits until somebody is there, and what was owed meanwhile is not made up for.
    for (; owed >= 1; owed--) await source.send("an input").catch(() => {});
    before = Math.max(before, performance.now() - 1);
    isSending = false;
  }, 1);
  const drain = async () => {
    for await (const _ of sink);
  };
  drain();
  return () => clearInterval(timer);
}

/**
 * Questions at their pace, and beside each a request that asks nobody: how long those take, in microseconds.
 *
 * @param {{ ask: number, rate: number, seconds: number }} what
 */
async function askHttp({ ask: port, rate, seconds }) {
  const agent = new http.Agent({ keepAlive: true });
  const get = (/** @type {string} */ path) =>
    new Promise((resolve, reject) => {
      http
        .get({ host: "127.0.0.1", port, path, agent }, (response) => response.resume().on("end", resolve))
        .on("error", reject);
    });
  const times = [];
  for (let count = 0; count < rate * seconds; count++) {
    await new Promise((resolve) => setTimeout(resolve, 1000 / rate));
    const asked = get("/ask");
    const start = performance.now();
    await get("/plain");
    times.push((performance.now() - start) * 1000);
    await asked;
  }
  agent.destroy();
  return median(times);
}
