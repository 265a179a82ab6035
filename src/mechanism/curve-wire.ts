/**
 * The wire of CURVE: behind the handshake every frame, message or command, is sealed into a MESSAGE of its own.
 * RFC 26 "CurveZMQ"; layouts in curve-message.ts.
 */
import type { ProtocolError } from "../base/errors.ts";
import type { Opener } from "./curve-opener.ts";
import type { Sealer } from "./curve-sealer.ts";
import type { Wire } from "./mechanism.ts";

export class CurveWire implements Wire {
  readonly #sealer: Sealer;
  readonly #opener: Opener;

  constructor(sealer: Sealer, opener: Opener) {
    this.#sealer = sealer;
    this.#opener = opener;
  }

  /** Why the connection has to end; what `unwrap` returned last comes before it. */
  get failure(): ProtocolError | undefined {
    return this.#opener.failure;
  }

  wrap(parts: Buffer[]): Buffer[] {
    return this.#sealer.wrap(parts);
  }

  written(): void {
    this.#sealer.written();
  }

  unwrap(chunk: Buffer): Buffer[] {
    return this.#opener.unwrap(chunk);
  }

  wipe(): void {
    this.#sealer.wipe();
    this.#opener.wipe();
  }
}
