/**
 * Timers, the check phase, microtasks and the time. They come from here alone: a test that fakes timers must not stop
 * the sockets of the program that it tests.
 *
 * All are taken when this is loaded, since `node:timers` may be faked later. Loading while the globals are faked does
 * no harm, as with Jest's `enableGlobally`: none is a global, and `process.uptime` is nothing that anybody fakes. It
 * counts as `performance.now` does, without the two milliseconds that the first touch of `performance` takes.
 */
import { AsyncResource } from "node:async_hooks";
import * as timers from "node:timers";
import { IS_NODE } from "../base/runtime.ts";

const { setImmediate: immediate } = timers;
export const setInterval: typeof timers.setInterval = timers.setInterval;
export const clearInterval: typeof timers.clearInterval = timers.clearInterval;

/** The seconds of this process, and its timers; in one place, where a test can count them or move the time by hand. */
export const internals: {
  uptime(): number;
  setTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout;
  clearTimeout(timer: NodeJS.Timeout | undefined): void;
} = {
  uptime: IS_NODE ? process.uptime : ownUptime(),
  setTimeout: timers.setTimeout,
  clearTimeout: timers.clearTimeout,
};

/** Deno's `process.uptime` asks `performance.now` each time, which may be faked by then. */
function ownUptime(): () => number {
  const { performance } = globalThis;
  const milliseconds = performance.now.bind(performance);
  return () => milliseconds() / 1000;
}

/** The number of asynchronous resources of this process that are ours. */
let own = 0;

export function setTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout {
  own++;
  return internals.setTimeout(callback, milliseconds);
}

export function clearTimeout(timer: NodeJS.Timeout | undefined): void {
  internals.clearTimeout(timer);
}

export function setImmediate(callback: () => void): NodeJS.Immediate {
  own++;
  return immediate(callback);
}

/**
 * Counts the asynchronous resources that others have made in this process: callbacks of the check phase, timers,
 * requests. While the number stays, nobody has set a callback. Node numbers all that it makes in order; where the
 * runtime does not, the number is another one each time.
 */
export function countOthers(): number {
  own++;
  return new AsyncResource("ZMTP").asyncId() - own;
}

/** Milliseconds since the process began; never goes back. */
export function now(): number {
  return internals.uptime() * 1000;
}

const DONE = Promise.resolve();

/** Calls back from the microtask queue. What the callback throws is the process's to handle. */
export function queueMicrotask(callback: () => void): void {
  void DONE.then(() => {
    try {
      callback();
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  });
}

const { nextTick: tick } = process;
/**
 * True once a callback has come from `tick` by itself: from one that was faked when this was loaded, none ever does.
 */
let isTicking = false;
tick(() => {
  isTicking = true;
});

/** Calls back from `process.nextTick`: before promises, as events of Node do. */
export function nextTick(callback: () => void): void {
  if (isTicking) tick(callback);
  else queueMicrotask(callback);
}

/** True when events of Node that come by `process.nextTick` may not come now. */
export function isTickFaked(): boolean {
  return process.nextTick !== tick || !isTicking;
}
