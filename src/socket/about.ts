/** Facts of this implementation, in the terms of the `zeromq` package. */
import { encodeZ85 } from "../codec/z85.ts";
import { loadCurve } from "../mechanism/lazy.ts";

/** Version of libzmq whose behaviour this package has; programs compare it. */
export const version: string = "4.3.5";

/** Makes a new pair of CURVE keys, each in 40 characters of Z85. (zmq_curve_keypair) */
export function curveKeyPair(): {
  /** Key that peers may know. */
  publicKey: string;
  /** Key that only its owner knows. */
  secretKey: string;
} {
  const { publicKey, secretKey } = loadCurve().keyPair();
  return { publicKey: encodeZ85(publicKey), secretKey: encodeZ85(secretKey) };
}

/**
 * Features that can be used: transports, mechanisms and draft sockets (zmq_has). The draft sockets and tipc, which the
 * native binding has, are not here: programs ask before they use them.
 */
export const capability: Partial<Record<"ipc" | "pgm" | "tipc" | "norm" | "curve" | "gssapi" | "draft", boolean>> = {
  ipc: true,
  pgm: false,
  tipc: false,
  norm: false,
  curve: true,
  gssapi: false,
  draft: false,
};
