/**
 * Many good clients that come at the same moment from far away: what they write arrives late, and so does what they
 * hear. Each shakes hands, asks once, and is in when it is answered; one that is refused comes again, as clients do.
 * count=2500 port=5555 delay=200
 */

import { connect } from "node:net";
import { MORE, ready } from "../../interop/lib/raw-peer.mjs";
import { readPairs } from "../lib/arguments.mjs";
import { obey, tell } from "../lib/program.mjs";
import { Frames, frame, greeting } from "./wire.mjs";

const AGAIN_MS = 100;

const pairs = readPairs();
const port = Number(pairs.port);
const count = Number(pairs.count);
const roundTripMs = Number(pairs.delay);
const REQUEST = Buffer.concat([frame("", MORE), frame("may I?")]);

let refused = 0;
let inside = 0;
let worst = 0;

/** @param {number} began @param {() => void} onAnswer */
function come(began, onAnswer) {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  let isIn = false;
  let greeted = false;
  const say = (/** @type {Buffer} */ octets) => setTimeout(() => socket.writable && socket.write(octets), roundTripMs);
  const frames = new Frames(
    () => {
      isIn = true;
      inside++;
      worst = Math.max(worst, performance.now() - began);
      onAnswer();
    },
    () => say(REQUEST),
  );
  socket.on("error", () => {});
  socket.on("connect", () => say(greeting()));
  socket.on("data", (chunk) => {
    if (!greeted) say(ready("REQ"));
    greeted = true;
    frames.write(chunk);
  });
  socket.on("close", () => {
    if (isIn) return;
    refused++;
    setTimeout(come, AGAIN_MS, began, onAnswer);
  });
}

obey({
  async run() {
    const began = performance.now();
    await new Promise((resolve) => {
      const onAnswer = () => inside === count && resolve(undefined);
      for (let index = 0; index < count; index++) come(began, onAnswer);
    });
    return { inside, refused, worst };
  },
});
tell("ready");
setInterval(() => tell("seen", { inside, refused, worst }), 500);
