/**
 * The reasons for which a connection ends. The layers inside tell them by throwing, and handshake and traffic each
 * catch at one gate.
 */
import { type ProtocolCode, ProtocolError } from "../base/errors.ts";
import { FrameSizeError } from "../codec/frame.ts";

export type Failure = {
  /**
   * Close only when everything is written: the last octets tell the peer why (ERROR, or the READY that does not fit).
   */
  readonly flush?: boolean;
} & (
  | {
      readonly kind: "protocol";
      readonly code: ProtocolCode;
      readonly detail: string;
      readonly handshake: boolean;
      /** True when `handshake:error:protocol` is raised, before `disconnect`. */
      readonly event: boolean;
    }
  /** The ZAP handler said no, here or (by an ERROR) at the peer. */
  | { readonly kind: "auth"; readonly status: 300 | 400 | 500 }
  /**
   * Nobody is there to ask whether the peer may come in, and nobody comes in unasked. libzmq raises EFAULT, without
   * detail.
   */
  | { readonly kind: "no-zap-handler" }
  | { readonly kind: "timeout"; readonly what: "handshake" | "heartbeat" | "ttl" }
  /** The peer's socket type does not fit: `handshake:error:protocol`, by INCOMPATIBLE_CODE. */
  | { readonly kind: "incompatible"; readonly detail: string }
);

/** The event's code for a socket type that does not fit: libzmq raises it for any bad property of READY. */
export const INCOMPATIBLE_CODE: ProtocolCode = "ERR_ZMTP_INVALID_METADATA";

/** Thrown inside a connection to end it by a failure that is no breach of the protocol. */
export class Refusal extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/**
 * Turns what was thrown inside into the failure to tell. @throws what is neither a refusal nor a breach of the protocol
 */
export function failureOf(error: unknown, handshake: boolean): Failure {
  if (error instanceof Refusal) return error.failure;
  if (!(error instanceof ProtocolError)) throw error;
  // In traffic libzmq raises what its mechanisms find, and nothing for bad framing.
  const event = !(error instanceof FrameSizeError) && (handshake || error.code !== "ERR_ZMTP_UNSPECIFIED");
  return { kind: "protocol", code: error.code, detail: error.message, handshake, event, flush: handshake };
}
