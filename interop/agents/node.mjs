/**
 * The agent for whatever presents the API of npm `zeromq` v6: this package or the native binding.
 *
 *   node agents/node.mjs IMPLEMENTATION MODULE
 *
 * MODULE is what `require` takes: a package's name or a folder. The protocol is in ../README.md.
 * Commands run one after the other, so that every agent, whatever its language, behaves the same.
 */
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { answerFrame, numberedBody, parseMessage, sameMessage, topicName, unhex } from "../lib/words.mjs";

const [implementation, moduleName] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const zmq = require(moduleName);

/** @typedef {{ socket: any, type: string, seen: Map<string, number> }} Held */

const CLASSES = /** @type {const} */ ({
  PAIR: "Pair",
  PUB: "Publisher",
  SUB: "Subscriber",
  REQ: "Request",
  REP: "Reply",
  DEALER: "Dealer",
  ROUTER: "Router",
  PULL: "Pull",
  PUSH: "Push",
  XPUB: "XPublisher",
  XSUB: "XSubscriber",
  STREAM: "Stream",
});

/** Options which some classes do not show, by libzmq's numbers. */
const RAW_OPTIONS = /** @type {Record<string, number>} */ ({ sendHighWaterMark: 23, receiveHighWaterMark: 24 });

const EVENTS = [
  "accept",
  "bind",
  "connect",
  "connect:delay",
  "connect:retry",
  "close",
  "disconnect",
  "handshake",
  "accept:error",
  "bind:error",
  "close:error",
  "handshake:error:auth",
  "handshake:error:protocol",
  "handshake:error:other",
];

const POLL_MS = 5;
const IDLE_MS = 20;
const NATIVE_SLICE_MS = 100;

/** How long a command may go on after the runner has gone. */
const ORPHAN_MS = 20_000;
const ZAP_ATTEMPTS = 200;
const ZAP_ENDPOINT = "inproc://zeromq.zap.01";

/** @type {Map<string, Held>} */
const sockets = new Map();
/** @type {any} */
let zapSocket;

class AgentError extends Error {
  /** @param {string} code @param {string} text */
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

/** @param {string} name */
function held(name) {
  const found = sockets.get(name);
  if (found === undefined) throw new AgentError("ENOTSOCK", `no socket ${name}`);
  return found;
}

/** @param {string} text */
function optionValue(text) {
  if (text === "true") return true;
  if (text === "false") return false;
  if (text.startsWith("x")) return unhex(text);
  return Number(text);
}

/** @param {any} socket @param {string[]} words */
function setOptions(socket, words) {
  for (const word of words) {
    const at = word.indexOf("=");
    const name = word.slice(0, at);
    const value = optionValue(word.slice(at + 1));
    if (name in socket) socket[name] = value;
    else if (name in RAW_OPTIONS) socket.setInt32Option(RAW_OPTIONS[name], value);
    else throw new AgentError("EUNSUPPORTED", `option ${name}`);
  }
}

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One message, or undefined when none came for `ms`. The native binding sleeps on when libzmq drops what woke it, so that
 * it is asked anew now and then.
 * @param {any} socket @param {number} ms @returns {Promise<Buffer[] | undefined>}
 */
async function receiveOne(socket, ms) {
  const slice = implementation === "native" ? NATIVE_SLICE_MS : ms;
  for (let left = ms; ; left -= slice) {
    socket.receiveTimeout = Math.min(left, slice);
    try {
      return await socket.receive();
    } catch (error) {
      if (/** @type {any} */ (error).code !== "EAGAIN") throw error;
      if (left <= slice) return undefined;
    }
  }
}

/**
 * Receives up to `count` messages; hands over each; ends early after `ms` without one.
 * @param {any} socket @param {number} count @param {number} ms @param {(frames: Buffer[]) => void} take
 */
async function receiveUpTo(socket, count, ms, take) {
  for (let received = 0; received < count; received++) {
    const frames = await receiveOne(socket, ms);
    if (frames === undefined) return received;
    take(frames);
  }
  return count;
}

/**
 * Sends `count` messages one after the other; ends early when one was not accepted within `ms`.
 * @param {any} socket @param {number} count @param {number} ms @param {(index: number) => unknown} message
 */
async function sendUpTo(socket, count, ms, message) {
  socket.sendTimeout = ms;
  let sent = 0;
  try {
    while (sent < count) {
      await socket.send(message(sent));
      sent++;
    }
  } catch (error) {
    if (/** @type {any} */ (error).code !== "EAGAIN") throw error;
  }
  return sent;
}

/** @param {Buffer} body @param {Map<string, number[]>} tags */
function countBody(body, tags) {
  const text = body.toString("latin1");
  const colon = text.indexOf(":");
  const tag = colon < 0 ? "?" : text.slice(0, colon);
  const number = colon < 0 ? 0 : Number(text.slice(colon + 1, colon + 9));
  const entry = tags.get(tag);
  if (entry === undefined) {
    tags.set(tag, [1, number, number, 0]);
    return;
  }
  if (number !== entry[2] + 1) entry[3]++;
  entry[0]++;
  entry[2] = number;
}

/** @param {string} kind @param {Buffer[]} credentials */
async function startZap(kind, credentials) {
  const socket = new zmq.Reply();
  for (let attempt = 1; ; attempt++) {
    try {
      await socket.bind(ZAP_ENDPOINT);
      break;
    } catch (error) {
      // The handler before it may still be on its way out.
      if (/** @type {any} */ (error).code !== "EADDRINUSE" || attempt === ZAP_ATTEMPTS) throw error;
      await sleep(POLL_MS);
    }
  }
  zapSocket = socket;
  const serve = async () => {
    for await (const frames of socket) {
      const [version, id, , , , mechanism, ...given] = frames;
      const good =
        mechanism.toString() === kind.toUpperCase() &&
        credentials.length === given.length &&
        credentials.every((wanted, index) => wanted.equals(given[index]));
      await socket.send([version, id, good ? "200" : "400", good ? "OK" : "No", good ? "user" : "", ""]);
    }
  };
  serve().catch(() => {});
}

/** @type {Record<string, (...words: string[]) => unknown>} */
const commands = {
  hello() {
    const types = Object.entries(CLASSES)
      .filter(([, className]) => className in zmq)
      .map(([type]) => type);
    const has = [zmq.capability?.curve && "curve", "Reply" in zmq && "plain"].filter(Boolean);
    // This package's `version` names the libzmq that it stands in for.
    const { version } = require(`${moduleName}/package.json`);
    const library = implementation === "zmtp" ? "" : zmq.version;
    return [
      `impl=${implementation}`,
      `version=${version}`,
      `library=${library}`,
      `types=${types.join(",")}`,
      `has=${has.join(",")}`,
    ];
  },
  open(name, type, ...options) {
    const SocketClass = zmq[CLASSES[/** @type {keyof typeof CLASSES} */ (type)]];
    if (SocketClass === undefined) throw new AgentError("EUNSUPPORTED", `type ${type}`);
    const socket = new SocketClass();
    /** @type {Map<string, number>} */
    const seen = new Map();
    for (const event of EVENTS) socket.events.on(event, () => seen.set(event, (seen.get(event) ?? 0) + 1));
    sockets.set(name, { socket, type, seen });
    setOptions(socket, options);
  },
  set(name, ...options) {
    setOptions(held(name).socket, options);
  },
  async bind(name, endpoint) {
    await held(name).socket.bind(endpoint);
    return [held(name).socket.lastEndpoint];
  },
  async unbind(name, endpoint) {
    await held(name).socket.unbind(endpoint);
  },
  connect(name, endpoint) {
    held(name).socket.connect(endpoint);
  },
  disconnect(name, endpoint) {
    held(name).socket.disconnect(endpoint);
  },
  subscribe(name, ...topics) {
    held(name).socket.subscribe(...topics.map(unhex));
  },
  unsubscribe(name, ...topics) {
    held(name).socket.unsubscribe(...topics.map(unhex));
  },
  subscribeseq(name, prefix, from, count) {
    for (let index = 0; index < +count; index++) held(name).socket.subscribe(topicName(prefix, +from + index));
  },
  async send(name, ms, message) {
    const { socket } = held(name);
    socket.sendTimeout = +ms;
    await socket.send(parseMessage(message));
  },
  async receive(name, count, ms) {
    /** @type {string[]} */
    const words = [];
    const received = await receiveUpTo(held(name).socket, +count, +ms, (frames) => {
      words.push(frames.map(answerFrame).join(","));
    });
    return [received, ...words];
  },
  async stream(name, tag, from, count, size, ms) {
    return [await sendUpTo(held(name).socket, +count, +ms, (index) => numberedBody(tag, +from + index, +size))];
  },
  async burst(name, tag, from, count, size) {
    const { socket } = held(name);
    let last = Promise.resolve();
    let turns = 1;
    for (let index = 0; index < +count; index++) {
      const body = numberedBody(tag, +from + index, +size);
      try {
        last = socket.send(body);
      } catch (error) {
        if (/** @type {any} */ (error).code !== "EBUSY") throw error;
        await last;
        turns++;
        last = socket.send(body);
      }
    }
    await last;
    return [count, turns];
  },
  async sendseq(name, prefix, from, count, ms) {
    return [await sendUpTo(held(name).socket, +count, +ms, (index) => topicName(prefix, +from + index))];
  },
  async count(name, count, ms) {
    /** @type {Map<string, number[]>} */
    const tags = new Map();
    const received = await receiveUpTo(held(name).socket, +count, +ms, (frames) => {
      countBody(frames[frames.length - 1], tags);
    });
    return [received, ...[...tags].map(([tag, entry]) => `${tag}=${entry.join("/")}`)];
  },
  async ask(name, tag, from, count, size, ms) {
    const { socket } = held(name);
    socket.sendTimeout = +ms;
    for (let index = 0; index < +count; index++) {
      const message = [Buffer.from(numberedBody(tag, +from + index, +size))];
      await socket.send(message);
      const answer = await receiveOne(socket, +ms);
      if (answer === undefined) throw new AgentError("EAGAIN", `no answer to number ${+from + index}`);
      if (!sameMessage(message, answer)) throw new AgentError("EMISMATCH", `answer to number ${+from + index}`);
    }
    return [count];
  },
  async answer(name, count, ms) {
    const { socket } = held(name);
    socket.sendTimeout = +ms;
    for (let answered = 0; answered < +count; answered++) {
      const frames = await receiveOne(socket, +ms);
      if (frames === undefined) return [answered];
      await socket.send(frames);
    }
    return [count];
  },
  async wait(name, event, count, ms) {
    const { seen } = held(name);
    const end = Date.now() + +ms;
    while ((seen.get(event) ?? 0) < +count && Date.now() < end) {
      poke();
      await sleep(POLL_MS);
    }
    return [seen.get(event) ?? 0];
  },
  events(name) {
    return [...held(name).seen].map(([event, times]) => `${event}=${times}`);
  },
  async zap(kind, ...credentials) {
    zapSocket?.close();
    zapSocket = undefined;
    if (kind !== "off") await startZap(kind, credentials.map(unhex));
  },
  close(name) {
    held(name).socket.close();
    sockets.delete(name);
  },
  reset() {
    for (const { socket } of sockets.values()) {
      socket.linger = 0;
      socket.close();
    }
    sockets.clear();
    zapSocket?.close();
    zapSocket = undefined;
  },
};

/**
 * libzmq takes up new connections, and ends old ones, only while the application calls it: so an idle agent calls. What
 * is written in JavaScript alone must do without. Not while a socket waits for a message: asking libzmq for its state takes
 * away the edge that the binding waits for.
 */
function poke() {
  if (implementation !== "native") return;
  for (const { socket } of sockets.values()) socket.readable;
}

/** @param {string} line */
async function obey(line) {
  const [id, verb, ...words] = line.split(" ");
  running++;
  try {
    if (commands[verb] === undefined) throw new AgentError("EUNSUPPORTED", `command ${verb}`);
    const answer = /** @type {unknown[] | undefined} */ (await commands[verb](...words));
    process.stdout.write(`${[id, "ok", ...(answer ?? [])].join(" ")}\n`);
  } catch (error) {
    const { code, message } = /** @type {any} */ (error);
    process.stdout.write(`${id} error ${code ?? "EFAILED"} ${String(message).replaceAll("\n", " ")}\n`);
  } finally {
    running--;
  }
}

let chain = Promise.resolve();
let running = 0;
setInterval(() => {
  if (running === 0) poke();
}, IDLE_MS);

createInterface({ input: process.stdin })
  .on("line", (line) => {
    chain = chain.then(() => (line.endsWith(" quit") ? process.exit(0) : obey(line)));
  })
  .on("close", () => {
    chain.then(() => process.exit(0));
    setTimeout(() => process.exit(1), ORPHAN_MS);
  });
