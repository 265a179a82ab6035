/** Subscriptions as users and applications write them. */
import { EMPTY, viewOctets } from "../base/bytes.ts";
import { errnoError } from "../base/errors.ts";
import type { SocketCore } from "./core.ts";

/** The first octet of a message that is a subscription, or cancels one. */
export const SUBSCRIBE = 1;
export const UNSUBSCRIBE = 0;

/** True for a frame that is a subscription in the form of a message. */
export function isSubscription(frame: Uint8Array): boolean {
  return frame.length > 0 && (frame[0] as number) <= SUBSCRIBE;
}

/** A prefix as octets of its own. */
export function toTopic(prefix: unknown): Buffer {
  if (typeof prefix === "string") return Buffer.from(prefix);
  if (prefix === null) return EMPTY;
  const octets = viewOctets(prefix);
  if (octets !== undefined) return Buffer.from(octets);
  throw new TypeError("Option value must be a string or buffer");
}

/** Subscribes to `prefixes`, or cancels them; none means everything. */
export function setTopics(core: SocketCore, prefixes: readonly unknown[], subscribe: boolean): void {
  // An option like any other: it may be set while the socket is blocked.
  if (core.isClosed) throw errnoError("ENOTSOCK");
  const topics = (prefixes.length === 0 ? [""] : prefixes).map(toTopic);
  for (const topic of topics) core.setTopic(topic, subscribe);
}
