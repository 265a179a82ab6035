/**
 * The events of a socket's connections, as users see them through `socket.events`. Sessions and listeners report to an
 * `EventSink`; nearly always nobody listens, so they look at `active` before they make an event.
 */
import { type ErrnoError, missingMemory, PROTOCOL_CODES, type ProtocolCode } from "./errors.ts";

interface Addressed {
  /** Endpoint that was given to connect, or at which the connection was accepted. */
  address: string;
}

interface Failed<E extends Error = ErrnoError> {
  /** Cause of the event. */
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
 * - `handshake:error:protocol`, `handshake:error:auth`, `handshake:error:other`: they did not. The last is also raised
 *   after the handshake: ERR_ZMTP_BODY_DETACHED, a message could not be written, for the program has taken its memory
 *   away; if some of it was written already, the connection ends with it
 * - `disconnect`: a connection ended; `close`: a listener, or an attempt to connect, ended
 * - `accept:error`: a peer was turned away by `tcpAcceptFilter` (EACCES). Nobody is told of those for whom no
 *   descriptor was left: Node closes them by itself. At the connecting end a lack of descriptors is a `connect:retry`
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
  | EventFor<
      "connect:retry",
      Addressed & {
        /** Milliseconds until the next attempt. */
        interval: number;
      }
    >
  | EventFor<"close", Addressed>
  | EventFor<"close:error", Addressed & Failed>
  | EventFor<"disconnect", Addressed>
  | EventFor<"end">
  | EventFor<"handshake", Addressed>
  | EventFor<"handshake:error:protocol", Addressed & Failed<ProtocolEventError>>
  | EventFor<"handshake:error:auth", Addressed & Failed<AuthEventError>>
  | EventFor<"handshake:error:other", Addressed & Failed>
  | EventFor<"unknown">;

/** Names of events. */
export type EventType = Event["type"];

/** Event, or events, of a name. */
export type EventOfType<E extends EventType = EventType> = Extract<
  Event,
  {
    /** Name of the event. */
    type: E;
  }
>;

/** Hears the events. Ask `active` first: an event that nobody hears is not worth making. */
export interface EventSink {
  readonly active: boolean;
  emit(event: Event): void;
}

/** Error of a peer that was refused by the ZAP handler (RFC 27). */
export interface AuthEventError extends Error {
  /** 300: try again later; 400: wrong credentials; 500: the check itself failed. */
  status: 300 | 400 | 500;
}

/** Error of a peer that broke the protocol (RFC 23), or of a ZAP handler that did (RFC 27). */
export interface ProtocolEventError extends Error {
  /** Name of the fault, as libzmq numbers them: "ERR_ZMTP_…" or "ERR_ZAP_…". */
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
