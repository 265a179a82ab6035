/**
 * What happens to a socket's connections, as users see it through `socket.events`. Sessions and listeners report to an
 * `EventSink`; nearly always nobody listens, so they look at `active` before they make an event.
 */
import { type ErrnoError, missingMemory, PROTOCOL_CODES, type ProtocolCode } from "./errors.ts";

interface Addressed {
  /** The endpoint: what was given to connect, or where the connection was accepted. */
  address: string;
}

interface Failed<E extends Error = ErrnoError> {
  error: E;
}

/** One event with its payload; `Type` is what `event.type` says. */
type EventFor<Type extends string, Payload = unknown> = { type: Type } & Payload extends infer Whole
  ? { [Key in keyof Whole]: Whole[Key] }
  : never;

/**
 * An event of a socket, told apart by `type`:
 *
 * - `accept`, `bind`, `connect`: a peer came in, a listener is up, a connection stands (before the handshake)
 * - `connect:delay`, `connect:retry`: a connection is on its way; the next attempt is in `interval` milliseconds
 * - `handshake`: the peers agreed, messages can flow
 * - `handshake:error:protocol`, `handshake:error:auth`, `handshake:error:other`: they did not. The last is also raised after the
 *   handshake: ERR_ZMTP_BODY_DETACHED, a message could not be written, for the program has taken its memory away; if some of it was
 *   written already, the connection ends with it
 * - `disconnect`: a connection ended; `close`: a listener, or an attempt to connect, ended
 * - `accept:error`: a peer was turned away by `tcpAcceptFilter` (EACCES). Nobody is told of those for whom no descriptor was left: Node
 *   closes them by itself. At the connecting end a lack of descriptors is a `connect:retry`
 * - `bind:error`, `close:error`: what failed
 * - `end`: the socket was closed; nothing follows
 */
export type Event =
  | EventFor<"accept", Addressed>
  | EventFor<"accept:error", Addressed & Failed>
  | EventFor<"bind", Addressed>
  | EventFor<"bind:error", Addressed & Failed>
  | EventFor<"connect", Addressed>
  | EventFor<"connect:delay", Addressed>
  | EventFor<"connect:retry", Addressed & { interval: number }>
  | EventFor<"close", Addressed>
  | EventFor<"close:error", Addressed & Failed>
  | EventFor<"disconnect", Addressed>
  | EventFor<"end">
  | EventFor<"handshake", Addressed>
  | EventFor<"handshake:error:protocol", Addressed & Failed<ProtocolEventError>>
  | EventFor<"handshake:error:auth", Addressed & Failed<AuthEventError>>
  | EventFor<"handshake:error:other", Addressed & Failed>
  | EventFor<"unknown">;

/** The names of events. */
export type EventType = Event["type"];

/** The event, or events, of a name. */
export type EventOfType<E extends EventType = EventType> = Extract<Event, { type: E }>;

/** Where events are reported. Ask `active` first: an event that nobody hears is not worth making. */
export interface EventSink {
  readonly active: boolean;
  emit(event: Event): void;
}

/** Why a peer was refused. */
export interface AuthEventError extends Error {
  /** 300: try again later; 400: wrong credentials; 500: the check itself failed. */
  status: 300 | 400 | 500;
}

/** How a peer broke the protocol. */
export interface ProtocolEventError extends Error {
  code: ProtocolCode;
}

const AUTH_TEXTS = { 300: "Temporary error", 400: "Authentication failure", 500: "Internal error" } as const;

/** The error of `handshake:error:auth`. */
export function authEventError(status: 300 | 400 | 500): AuthEventError {
  return Object.assign(new Error(AUTH_TEXTS[status]), { status });
}

/** The error of `handshake:error:protocol`; `detail`, what was seen on the wire, is its cause's message. */
export function protocolEventError(code: ProtocolCode, detail?: string): ProtocolEventError {
  const text = PROTOCOL_CODES[code] < PROTOCOL_CODES.ERR_ZAP_UNSPECIFIED ? "ZMTP protocol error" : "ZAP protocol error";
  const error = detail === undefined ? new Error(text) : new Error(text, { cause: new Error(detail) });
  return Object.assign(error, { code });
}

let hasWarned = false;

/** Tells that a message is lost because its memory is: by an event, or where nobody hears events by a warning, once. */
export function reportMissing(events: EventSink | undefined, address: string): void {
  const error = missingMemory(address);
  if (events?.active) {
    events.emit({ type: "handshake:error:other", address, error });
  } else if (!hasWarned) {
    hasWarned = true;
    process.emitWarning(`${error.message}, and it is lost`, { code: "ZMTP_MEMORY_MISSING" });
  }
}
