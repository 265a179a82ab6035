/**
 * Reading without allocating: Node's `onread` option lets the kernel write into memory of ours, in place of a new
 * buffer of 64 KiB for each read. All streams share one piece of memory, since what was read is dealt with before
 * anything else is read; and the rest of a long body is read to where it belongs.
 *
 * `onread` is documented for sockets that connect. Those that a server accepts are given the same by way of their
 * private slots, where a Node has these (all from 18 to 26 do): a second socket around the handle, which is the other
 * way, costs a tenth of what a peer costs that comes and leaves. Elsewhere, and on other runtimes than Node, streams
 * emit `data` as usual.
 *
 * Measured by bench/micro/reading.mjs (two cores, Node 22, loopback, processor time of the receiver): 64 KiB of small
 * messages cost 98 µs by `data` and 74 µs this way, a message of 64 KiB 76 and 52 µs, one of 1 MiB 1140 and 320 µs.
 */
import type { Socket as NetSocket } from "node:net";
import { READ_BYTES } from "../base/constants.ts";
import { IS_NODE } from "../base/runtime.ts";

/** The memory that streams read into, one at a time: it is only lent to a reader. */
export const SHARED: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** Takes what was read. */
export interface DirectReader {
  /**
   * Takes `count` octets, from `SHARED` or the target that it returned last. Returns the target of the next read, if
   * that is not `SHARED`.
   */
  readInto(count: number, isShared: boolean): Buffer | undefined;
}

/** The property by which a socket carries its reader. */
export const READER: unique symbol = Symbol("reader");

interface Reading {
  [READER]?: DirectReader | undefined;
}

/** The ways that can be used; tests turn them off to see that the documented way works. */
export const direct: { connects: boolean; accepts: boolean } = {
  connects: IS_NODE,
  accepts: IS_NODE,
};

/** Node asks for the next buffer right after the callback of the read before it, without saying for which socket. */
let next: Buffer = SHARED;

const ONREAD = {
  buffer(): Buffer {
    const given = next;
    next = SHARED;
    return given;
  },
  callback(this: Reading, count: number, buffer: Uint8Array): boolean {
    next = this[READER]?.readInto(count, buffer === SHARED) ?? SHARED;
    return true;
  },
};

/** The option for `net.connect`. */
export function onRead(): { onread?: typeof ONREAD } {
  return direct.connects ? { onread: ONREAD } : {};
}

/**
 * The names of the symbols by which Node's sockets keep what `onread` gave them; each socket has them from its making.
 */
const SLOTS = ["kBuffer", "kBufferCb", "kBufferGen"];

/** The private parts of an accepted socket. */
interface Accepted {
  _handle?: { useUserBuffer?(buffer: Buffer): void } | null;
  [slot: symbol]: unknown;
}

/** The symbols with these names; none where they are not all there. Asked of the first socket that is accepted. */
let slots: readonly symbol[] | undefined;

function slotsOf(socket: object): readonly symbol[] {
  const own = Object.getOwnPropertySymbols(socket);
  const found = SLOTS.map((name) => own.find(({ description }) => description === name));
  return found.every((symbol) => symbol !== undefined) ? found : [];
}

/** Lets a socket that a server with `pauseOnConnect` has just accepted read directly, where that can be. */
export function readDirectly(socket: NetSocket): void {
  const accepted = socket as unknown as Accepted;
  const handle = accepted._handle;
  if (!direct.accepts || typeof handle?.useUserBuffer !== "function") return;
  slots ??= slotsOf(socket);
  if (slots.length === 0) return;
  const [buffer, callback, generator] = slots;
  accepted[buffer] = SHARED;
  accepted[callback] = ONREAD.callback;
  accepted[generator] = ONREAD.buffer;
  handle.useUserBuffer(SHARED);
}
