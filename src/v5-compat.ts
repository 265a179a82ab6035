/** `zmtp/v5-compat`: what programs for version 5 of `zeromq` import, over the sockets of this package. */
import { curveKeyPair } from "./socket/about.ts";
import { context } from "./socket/context.ts";

export { version } from "./socket/about.ts";
export * from "./v5/libzmq-numbers.ts";
export { options } from "./v5/options.ts";
export { proxy } from "./v5/proxy.ts";
export { createSocket, createSocket as socket, Socket, type SocketType } from "./v5/socket.ts";

/** The settings that all sockets share. */
export interface ContextConstructor {
  /** Prototype of nothing: there are no instances. */
  readonly prototype: Context;
  /** There is one context only. @throws Error always */
  new (): Context;
  /** Accepted, without effect: there are no threads to set. */
  setMaxThreads(value: number): void;
  /** Reads what `setMaxThreads` set. Default 1. */
  getMaxThreads(): number;
  /** Sets how many sockets may be open at a time, at least 1. @throws ErrnoError EINVAL */
  setMaxSockets(value: number): void;
  /** Reads how many sockets may be open at a time. Default 1023. */
  getMaxSockets(): number;
}

/** Type of the instances that there are none of. */
export type Context = object;

/** No class, as it was none in version 5: old programs may call it without `new`, and are told the same. */
export const Context: ContextConstructor = Object.assign(
  function Context(): never {
    throw new Error("Context cannot be instantiated in compatibility mode");
  },
  {
    setMaxThreads(value: number): void {
      context.ioThreads = value;
    },
    getMaxThreads: (): number => context.ioThreads,
    setMaxSockets(value: number): void {
      context.maxSockets = value;
    },
    getMaxSockets: (): number => context.maxSockets,
  },
) as unknown as ContextConstructor;
// Bundlers call it otherwise, since the context that it sets has a class of this name.
Object.defineProperty(Context, "name", { value: "Context", configurable: true });

/** Makes a new pair of CURVE keys, each in 40 characters of Z85. (zmq_curve_keypair) */
export function curveKeypair(): {
  /** Key that peers may know. */
  public: string;
  /** Key that only its owner knows. */
  secret: string;
} {
  const { publicKey, secretKey } = curveKeyPair();
  return { public: publicKey, secret: secretKey };
}
