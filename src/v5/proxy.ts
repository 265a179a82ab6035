/** The proxy of version 5: two sockets whose messages are passed on as they are emitted. It has no end but theirs. */
import type { Socket, SocketType } from "./socket.ts";

/** Old names of types. */
const NEW_NAMES: Partial<Record<SocketType, SocketType>> = { xreq: "dealer", xrep: "router" };

/** How many frames in front of a reply a capture does not get: the way back, which means nothing to it. */
const ENVELOPES: Readonly<Record<string, number>> = {
  "push/pull": 0,
  "pull/push": 0,
  "xpub/xsub": 0,
  "router/dealer": 2,
};

/**
 * Passes messages on between two sockets: push and pull, xpub and xsub, router and dealer, in these orders. `capture`
 * is sent a copy of what comes from the back end.
 * @throws Error for other types
 */
export function proxy(frontend: Socket, backend: Socket, capture?: Socket): void {
  const types = [frontend.type, backend.type].map((type) => NEW_NAMES[type] ?? type).join("/");
  const envelope = ENVELOPES[types];
  if (envelope === undefined) throw new Error("This socket type order is not supported in compatibility mode");
  frontend.on("message", (...frames: Buffer[]) => {
    backend.send(frames);
  });
  backend.on("message", (...frames: Buffer[]) => {
    frontend.send(frames);
    capture?.send(frames.slice(envelope));
  });
}
