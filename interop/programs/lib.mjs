/** What the programs share: the package under test, and lines that are the same in every run. */
import { inspect } from "node:util";

/**
 * The package that the first argument names; the original's types fit both.
 * @type {typeof import("zeromq")}
 */
export const zmq = await import(process.argv[2] ?? "zeromq");

/** Prints values on one line. @param {...unknown} words */
export function print(...words) {
  const texts = words.map((word) => (typeof word === "string" ? word : inspect(word, { breakLength: Infinity })));
  console.log(texts.join(" "));
}

/** @param {number} milliseconds @returns {Promise<void>} */
export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A message as text. @param {readonly Buffer[]} frames */
export const text = (frames) => frames.map(String).join("|");

/** Addresses without what the system chose. @param {unknown} value */
export const masked = (value) => String(value).replace(/:\d+(?=\/|$)/g, ":PORT");

/** What an action gives, or how it fails: at once or later. @param {() => unknown} action @returns {Promise<string>} */
export async function outcome(action) {
  /** @type {unknown} */
  let promise;
  try {
    promise = action();
  } catch (error) {
    return `throws ${described(error)}`;
  }
  try {
    const value = await promise;
    return Array.isArray(value) ? text(value) : String(value);
  } catch (error) {
    return `rejects ${described(error)}`;
  }
}

/** @param {unknown} error */
function described(error) {
  const { name, code, errno, message, address } = /** @type {Error & { [key: string]: unknown }} */ (error);
  return [name, code, errno, message, address === undefined ? "" : masked(address)].filter((word) => word).join(" ");
}

/** Waits for what is to happen. @param {() => boolean} condition */
export async function until(condition) {
  while (!condition()) await sleep(5);
}

/**
 * Publishes until all subscribers have heard, then until nothing comes any more.
 * @param {{ send(message: string | string[]): Promise<void> }} publisher @param {string} topic
 * @param {{ receive(): Promise<Buffer[]>, receiveTimeout: number }[]} subscribers
 */
export async function connected(publisher, topic, subscribers) {
  let isOver = false;
  const publishing = (async () => {
    for (; !isOver; await sleep(10)) await publisher.send(topic);
  })();
  for (const subscriber of subscribers) await subscriber.receive();
  isOver = true;
  await publishing;
  for (const subscriber of subscribers) {
    subscriber.receiveTimeout = 200;
    while (await subscriber.receive().catch(() => undefined));
    subscriber.receiveTimeout = -1;
  }
}
