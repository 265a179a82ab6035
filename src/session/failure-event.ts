/** The events that tell of failed connections. */
import { errnoError } from "../base/errors.ts";
import { authEventError, type Event, protocolEventError } from "../base/events.ts";
import { type Failure, INCOMPATIBLE_CODE } from "../connection/failure.ts";
import { ZAP_ENDPOINT } from "../mechanism/zap.ts";
import type { OptionValues } from "../options/values.ts";

/** Makes the event that tells of a failure before `disconnect` does; undefined when that is all. */
export function failureEvent(failure: Failure, address: string): Event | undefined {
  if (failure.kind === "auth") {
    return { type: "handshake:error:auth", address, error: authEventError(failure.status) };
  }
  if (failure.kind === "protocol" && failure.event) {
    return { type: "handshake:error:protocol", address, error: protocolEventError(failure.code, failure.detail) };
  }
  if (failure.kind === "incompatible") {
    const error = protocolEventError(INCOMPATIBLE_CODE, failure.detail);
    return { type: "handshake:error:protocol", address, error };
  }
  if (failure.kind === "timeout" && failure.what === "handshake") {
    return { type: "handshake:error:other", address, error: errnoError("EAGAIN", address) };
  }
  if (failure.kind === "no-zap-handler") {
    // libzmq has no better code for it.
    const error = errnoError("EFAULT", address, undefined, `no ZAP handler is bound at ${ZAP_ENDPOINT}`);
    return { type: "handshake:error:other", address, error };
  }
  return undefined;
}

/**
 * Says why a peer may have ended the connection in the handshake, without a word. A CURVE server that cannot open what
 * it was sent says nothing: RFC 26 wants it so.
 */
export function leftReason({ securityMechanism, curveServer }: OptionValues): string {
  const reason = "the peer ended the connection in the handshake";
  if (securityMechanism !== "curve" || curveServer) return reason;
  return `${reason}, as a CURVE server does when curveServerKey is not its key`;
}
