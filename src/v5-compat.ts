/** `zmtp/v5-compat`: what programs for version 5 of `zeromq` import, over the sockets of this package. */
import { curveKeyPair } from "./about.ts";
import { context } from "./context.ts";

export { version } from "./about.ts";
export * from "./v5/constants.ts";
export { options } from "./v5/options.ts";
export { proxy } from "./v5/proxy.ts";
export { createSocket, createSocket as socket, Socket, type SocketType } from "./v5/socket.ts";

/** The settings that all sockets share. */
export class Context {
  /** Accepted, without effect: there are no threads to set. */
  static setMaxThreads(value: number): void {
    context.ioThreads = value;
  }

  static getMaxThreads(): number {
    return context.ioThreads;
  }

  /** How many sockets there can be at a time. @throws ErrnoError EINVAL */
  static setMaxSockets(value: number): void {
    context.maxSockets = value;
  }

  static getMaxSockets(): number {
    return context.maxSockets;
  }

  /** There is one context only. @throws Error always */
  constructor() {
    throw new Error("Context cannot be instantiated in compatibility mode");
  }
}

/** A new pair of CURVE keys, each as 40 characters of Z85. */
export function curveKeypair(): { public: string; secret: string } {
  const { publicKey, secretKey } = curveKeyPair();
  return { public: publicKey, secret: secretKey };
}
