/** What this implementation says of itself, in the terms of the `zeromq` package. */
import { encodeZ85 } from "../codec/z85.ts";
import { loadCurve } from "../mechanism/lazy.ts";

/** The version of libzmq whose behaviour this is: programs compare it. */
export const version: string = "4.3.5";

/** A new pair of CURVE keys, each as 40 characters of Z85 (zmq_curve_keypair). */
export function curveKeyPair(): { publicKey: string; secretKey: string } {
  const { publicKey, secretKey } = loadCurve().keyPair();
  return { publicKey: encodeZ85(publicKey), secretKey: encodeZ85(secretKey) };
}

/** What can be used. The draft sockets and tipc, which the native binding has, are not here: programs ask before they use them. */
export const capability: Partial<Record<"ipc" | "pgm" | "tipc" | "norm" | "curve" | "gssapi" | "draft", boolean>> = {
  ipc: true,
  pgm: false,
  tipc: false,
  norm: false,
  curve: true,
  gssapi: false,
  draft: false,
};
