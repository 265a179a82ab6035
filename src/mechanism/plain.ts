/**
 * PLAIN: a user name and a password in the clear, checked by the server's ZAP handler.
 *
 *     client                              server
 *     HELLO user password    ->                       the server asks the ZAP handler
 *                            <-   WELCOME
 *     INITIATE metadata      ->
 *                            <-   READY metadata
 *
 * RFC 24 "ZMTP PLAIN"; libzmq options ZMQ_PLAIN_SERVER, ZMQ_PLAIN_USERNAME, ZMQ_PLAIN_PASSWORD.
 *
 * libzmq 4.3 sends and understands ERROR here only in a misspelt form. The client below takes both forms; the server
 * uses the misspelt one towards peers that greet like libzmq 4.3.3 and later, so that they learn why they were turned
 * away.
 */
import { wipe } from "../base/bytes.ts";
import { type ProtocolCode, ProtocolError } from "../base/errors.ts";
import { commandBody, commandPrefix, ERROR, errorReason, isCommand, READY, SHORT_ERROR } from "../codec/command.ts";
import type { Mechanism, MechanismFactory, MechanismHost } from "./mechanism.ts";

const HELLO = commandPrefix("HELLO");
const WELCOME = commandPrefix("WELCOME");
const INITIATE = commandPrefix("INITIATE");

/** Makes clients that prove themselves by `username` and `password`, 0 to 255 octets each. */
export function plainClient(username: Uint8Array, password: Uint8Array): MechanismFactory {
  return (host) => new PlainClient(host, username, password);
}

/** Makes servers. */
export function plainServer(): MechanismFactory {
  return (host) => new PlainServer(host);
}

function unexpected(wanted: string): ProtocolError {
  return new ProtocolError("ERR_ZMTP_UNEXPECTED_COMMAND", `expected ${wanted}`);
}

function malformed(name: "HELLO" | "WELCOME"): ProtocolError {
  const code: ProtocolCode = `ERR_ZMTP_MALFORMED_COMMAND_${name}`;
  return new ProtocolError(code, `${name} of a wrong size`);
}

class PlainClient implements Mechanism {
  readonly wire: undefined;
  readonly errorPrefix: Buffer = ERROR;
  readonly #host: MechanismHost;
  readonly #credentials: Buffer;
  #expected: "WELCOME" | "READY" = "WELCOME";

  constructor(host: MechanismHost, username: Uint8Array, password: Uint8Array) {
    this.#host = host;
    this.#credentials = Buffer.concat([
      Uint8Array.of(username.length),
      username,
      Uint8Array.of(password.length),
      password,
    ]);
  }

  start(): void {
    this.#host.send(commandBody(HELLO, this.#credentials));
  }

  receive(body: Buffer): void {
    if (isCommand(body, ERROR)) this.#host.peerError(errorReason(body, ERROR.length));
    if (isCommand(body, SHORT_ERROR)) this.#host.peerError(errorReason(body, SHORT_ERROR.length));
    if (this.#expected === "WELCOME") {
      if (!isCommand(body, WELCOME)) throw unexpected("WELCOME");
      if (body.length !== WELCOME.length) throw malformed("WELCOME");
      this.#host.send(commandBody(INITIATE, this.#host.metadata));
      this.#expected = "READY";
    } else {
      if (!isCommand(body, READY)) throw unexpected("READY");
      this.#host.peerMetadata(body.subarray(READY.length));
      this.#host.done();
    }
  }

  close(): void {
    wipe(this.#credentials);
  }
}

class PlainServer implements Mechanism {
  readonly wire: undefined;
  readonly errorPrefix: Buffer;
  readonly #host: MechanismHost;
  #expected: "HELLO" | "nothing" | "INITIATE" = "HELLO";

  constructor(host: MechanismHost) {
    this.#host = host;
    this.errorPrefix = host.peerIsLibzmq ? SHORT_ERROR : ERROR;
  }

  start(): void {}

  receive(body: Buffer): void {
    if (this.#expected === "HELLO") {
      if (!isCommand(body, HELLO)) throw unexpected("HELLO");
      this.#hello(body);
    } else if (this.#expected === "INITIATE") {
      if (!isCommand(body, INITIATE)) throw unexpected("INITIATE");
      this.#host.peerMetadata(body.subarray(INITIATE.length));
      this.#host.send(commandBody(READY, this.#host.metadata));
      this.#host.done();
    } else {
      throw unexpected("nothing while the ZAP handler is asked");
    }
  }

  #hello(body: Buffer): void {
    const userStart = HELLO.length + 1;
    const userEnd = userStart + body[HELLO.length];
    if (!(userEnd < body.length) || userEnd + 1 + body[userEnd] !== body.length) throw malformed("HELLO");
    this.#expected = "nothing";
    const username = Buffer.from(body.subarray(userStart, userEnd));
    const password = Buffer.from(body.subarray(userEnd + 1));
    this.#host.authenticate([username, password], () => {
      this.#expected = "INITIATE";
      this.#host.send(commandBody(WELCOME, Buffer.alloc(0)));
    });
  }

  close(): void {}
}
