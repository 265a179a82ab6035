/**
 * NULL: no protection. Both sides send READY without waiting for each other; the handshake is over when both were sent.
 *
 *     READY  ->
 *            <-  READY
 *
 * With a ZAP domain the own READY is held back until the ZAP handler lets the peer in. RFC 23/37, "The NULL Security
 * Mechanism"; libzmq option ZMQ_ZAP_DOMAIN.
 */

import { ProtocolError } from "../base/errors.ts";
import { commandBody, ERROR, errorReason, isCommand, READY } from "../codec/command.ts";
import type { Mechanism, MechanismHost } from "./mechanism.ts";

export class NullMechanism implements Mechanism {
  readonly wire: undefined;
  readonly errorPrefix: Buffer = ERROR;
  readonly #host: MechanismHost;
  #sent = false;
  #received = false;

  constructor(host: MechanismHost) {
    this.#host = host;
  }

  start(): void {
    this.#host.authenticate([], () => {
      this.#host.send(commandBody(READY, this.#host.metadata));
      this.#sent = true;
      if (this.#received) this.#host.done();
    });
  }

  receive(body: Buffer): void {
    if (isCommand(body, READY) && !this.#received) {
      this.#host.peerMetadata(body.subarray(READY.length));
      this.#received = true;
      if (this.#sent) this.#host.done();
    } else if (isCommand(body, ERROR)) {
      this.#host.peerError(errorReason(body, ERROR.length));
    } else {
      throw new ProtocolError("ERR_ZMTP_UNEXPECTED_COMMAND", "neither READY nor ERROR, or a second READY");
    }
  }

  close(): void {}
}
