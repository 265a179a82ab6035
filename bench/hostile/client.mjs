/**
 * Good clients of the victim, raw like the attackers: one that was there before and is served all the time, and
 * again and again a new one that wants to get in. type=REQ port=5555 entry=PUSH entryPort=5556
 */

import { connect } from "node:net";
import { command, MORE } from "../../interop/lib/raw-peer.mjs";
import { readPairs } from "../lib/arguments.mjs";
import { obey, tell } from "../lib/program.mjs";
import { Frames, frame, introduction } from "./wire.mjs";

const SERVED_EVERY_MS = 20;
const PUBLISHED_EVERY_MS = 10;
const ENTERS_EVERY_MS = 200;

/** A client that is cut off or refused tries again after this. */
const AGAIN_MS = 50;

/** What is not answered when the attack is over may take so long. */
const PATIENCE_MS = 15_000;

const { type, port, entry, entryPort } = readPairs();
const seen = { wait: 0, served: 0, sent: 0, cut: 0, entry: 0, entered: 0, refused: 0 };
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Connects until it is in, and stays until it is cut off.
 *
 * @typedef {object} Told
 * @property {() => void} [onMessage]
 * @property {(socket: import("node:net").Socket) => void} onReady
 * @property {(wasReady: boolean) => void} onClose
 *
 * @param {string} as @param {number} to @param {Told} told
 */
function enter(as, to, { onMessage = () => {}, onReady, onClose }) {
  const socket = connect({ host: "127.0.0.1", port: to, noDelay: true });
  let isReady = false;
  const frames = new Frames(onMessage, (body) => {
    if (isReady || body.toString("latin1", 1, 6) !== "READY") return;
    isReady = true;
    onReady(socket);
  });
  socket.on("error", () => {});
  socket.on("connect", () => socket.write(introduction(as)));
  socket.on("data", (chunk) => frames.write(chunk));
  socket.on("close", () => onClose(isReady));
}

let finishing = false;
let since = 0;
/** @type {import("node:net").Socket | undefined} */
let own;

function noteWait(/** @type {number} */ sinceWhen, usual = 0) {
  seen.wait = Math.max(seen.wait, performance.now() - sinceWhen - usual);
}

/** What this client does when it is in. @type {Record<string, (socket: import("node:net").Socket) => void>} */
const ACTS = {
  REQ: ask,
  DEALER: ask,
  PAIR: ask,
  PUSH: push,
  SUB(socket) {
    since = performance.now();
    socket.write(command("SUBSCRIBE", "good"));
  },
  PUB() {},
};

function ask(/** @type {import("node:net").Socket} */ socket) {
  if (since === 0) since = performance.now();
  const request = frame("good");
  socket.write(type === "REQ" ? Buffer.concat([frame("", MORE), request]) : request);
}

async function push(/** @type {import("node:net").Socket} */ socket) {
  while (!socket.destroyed && !finishing) {
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(process.hrtime.bigint());
    socket.write(Buffer.concat([frame("good", MORE), frame(stamp)]));
    seen.sent++;
    await pause(SERVED_EVERY_MS);
  }
}

async function onAnswer() {
  seen.served++;
  noteWait(since, type === "SUB" ? PUBLISHED_EVERY_MS : 0);
  since = type === "SUB" ? performance.now() : 0;
  if (type === "SUB") return;
  await pause(SERVED_EVERY_MS);
  if (own !== undefined && !finishing) ask(own);
}

function stay() {
  enter(type, Number(port), {
    onMessage: onAnswer,
    onReady(socket) {
      own = socket;
      ACTS[type](socket);
      if (seen.cut === 0) tell("ready");
    },
    onClose(wasReady) {
      own = undefined;
      if (wasReady) seen.cut++;
      setTimeout(stay, AGAIN_MS);
    },
  });
}

function comeAndGo(began = performance.now()) {
  const late = setTimeout(() => {
    seen.entry = Math.max(seen.entry, performance.now() - began);
  }, PATIENCE_MS);
  enter(entry, Number(entryPort), {
    onReady(socket) {
      clearTimeout(late);
      seen.entered++;
      seen.entry = Math.max(seen.entry, performance.now() - began);
      socket.destroy();
      setTimeout(comeAndGo, ENTERS_EVERY_MS);
    },
    onClose(wasReady) {
      clearTimeout(late);
      if (wasReady) return;
      seen.refused++;
      setTimeout(comeAndGo, AGAIN_MS, began);
    },
  });
}

obey({
  look: () => ({ ...seen }),
  begin: () => comeAndGo(),
  async finish() {
    const { served } = seen;
    const began = performance.now();
    finishing = type !== "SUB";
    const isOpen = () => seen.entered === 0 || (since !== 0 && seen.served === served);
    while (isOpen() && performance.now() - began < PATIENCE_MS) await pause(10);
    if (since !== 0 && seen.served === served) noteWait(since);
    return { ...seen };
  },
});
stay();
