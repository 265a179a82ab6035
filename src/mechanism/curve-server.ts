/**
 * The server of CURVE: known by its key, learns the client's, and asks the ZAP handler about it. Layouts and names:
 * curve-handshake.ts.
 *
 * Stricter than libzmq in one place: a vouch has to name this server's key S too. Without that check a server that a
 * client trusts could pass the client's vouch on, and be the client elsewhere.
 *
 * The RFC's cookie lets a server forget a client between WELCOME and INITIATE. Like libzmq this one remembers, since
 * the connection costs more than the keys, so that it only has to see its cookie come back.
 *
 * RFC 26 "CurveZMQ"; libzmq options ZMQ_CURVE_SERVER, ZMQ_CURVE_SECRETKEY.
 */
import { sameSecret, wipe } from "../base/bytes.ts";
import { ERROR, READY } from "../codec/command.ts";
import { KEY_BYTES } from "../crypto/crypto.ts";
import { type KeyPair, keyPair } from "../crypto/load.ts";
import {
  agreed,
  COOKIE_BYTES,
  COUNTER_BYTES,
  type CurveTools,
  fault,
  HELLO,
  HELLO_BYTES,
  INITIATE,
  INITIATE_BYTES,
  isCommandNamed,
  LONG_NONCE_BYTES,
  NONCE,
  nonceOf,
  opened,
  readCounter,
  shortCounter,
  VOUCH_BYTES,
  WELCOME,
} from "./curve-handshake.ts";
import { type Counter, Opener } from "./curve-opener.ts";
import { Sealer } from "./curve-sealer.ts";
import { CurveWire } from "./curve-wire.ts";
import type { Mechanism, MechanismHost } from "./mechanism.ts";

/** The counter of READY; messages go on behind. */
const READY_COUNTER = 1;

/** Where things lie in HELLO. */
const HELLO_VERSION_OFFSET = 6;
const HELLO_KEY_OFFSET = 80;
const HELLO_COUNTER_OFFSET = 112;
const HELLO_BOX_OFFSET = 120;

/** Where things lie in INITIATE, and in its box. */
const INITIATE_COUNTER_OFFSET: number = INITIATE.length + COOKIE_BYTES;
const INITIATE_BOX_OFFSET: number = INITIATE_COUNTER_OFFSET + COUNTER_BYTES;
const VOUCH_OFFSET: number = KEY_BYTES + LONG_NONCE_BYTES;
const METADATA_OFFSET: number = VOUCH_OFFSET + VOUCH_BYTES;

export class CurveServer implements Mechanism {
  readonly errorPrefix: Buffer = ERROR;
  readonly #host: MechanismHost;
  readonly #own: KeyPair;
  readonly #tools: CurveTools;
  #transient: KeyPair | undefined = undefined;
  /** C'. */
  #clientKey: Buffer | undefined = undefined;
  #cookie: Buffer | undefined = undefined;
  /** S'->C'. */
  #key: Buffer | undefined = undefined;
  #expected: "HELLO" | "INITIATE" | "nothing" = "HELLO";
  #wire: CurveWire | undefined = undefined;

  /** The keys stay their owner's. */
  constructor(host: MechanismHost, own: KeyPair, tools: CurveTools) {
    this.#host = host;
    this.#own = own;
    this.#tools = tools;
  }

  get wire(): CurveWire | undefined {
    return this.#wire;
  }

  start(): void {}

  receive(body: Buffer): void {
    if (this.#expected === "HELLO" && isCommandNamed(body, HELLO)) this.#hello(body);
    else if (this.#expected === "INITIATE" && isCommandNamed(body, INITIATE)) this.#initiate(body);
    else throw fault("ERR_ZMTP_UNEXPECTED_COMMAND", `expected ${this.#expected}`);
  }

  close(): void {
    wipe(this.#transient?.secretKey, this.#key);
    this.#wire?.wipe();
  }

  #hello(body: Buffer): void {
    if (body.length !== HELLO_BYTES) {
      throw fault("ERR_ZMTP_MALFORMED_COMMAND_HELLO", `a HELLO of ${body.length} octets`);
    }
    if (body[HELLO_VERSION_OFFSET] !== 1 || body[HELLO_VERSION_OFFSET + 1] !== 0) {
      throw fault("ERR_ZMTP_MALFORMED_COMMAND_HELLO", "a version of CURVE other than 1.0");
    }
    const { crypto } = this.#tools;
    const clientKey = Buffer.from(body.subarray(HELLO_KEY_OFFSET, HELLO_COUNTER_OFFSET));
    const key = agreed(crypto.precompute(this.#own.secretKey, clientKey));
    const nonce = nonceOf(NONCE.hello, body.subarray(HELLO_COUNTER_OFFSET, HELLO_BOX_OFFSET));
    opened(crypto.openBox(key, nonce, body.subarray(HELLO_BOX_OFFSET)), "HELLO");

    this.#clientKey = clientKey;
    this.#expected = "INITIATE";
    this.#welcome(key);
  }

  #welcome(key: Buffer): void {
    const { crypto, random } = this.#tools;
    const transient = keyPair(crypto, random);
    const cookie = this.#bake(transient.secretKey);
    const nonce = random(LONG_NONCE_BYTES);
    const message = Buffer.concat([transient.publicKey, cookie]);
    const sealed = crypto.box(key, nonceOf(NONCE.welcome, nonce), message);
    wipe(key);
    this.#transient = transient;
    this.#cookie = cookie;
    this.#host.send(Buffer.concat([WELCOME, nonce, sealed]));
  }

  /** Makes the cookie; nobody keeps its key, since nobody has to open it. */
  #bake(transientSecret: Buffer): Buffer {
    const { crypto, random } = this.#tools;
    const key = random(KEY_BYTES);
    const nonce = random(LONG_NONCE_BYTES);
    const secret = Buffer.concat([this.#clientKey!, transientSecret]);
    const sealed = crypto.box(key, nonceOf(NONCE.cookie, nonce), secret);
    wipe(key, secret);
    return Buffer.concat([nonce, sealed]);
  }

  #initiate(body: Buffer): void {
    if (body.length < INITIATE_BYTES) {
      throw fault("ERR_ZMTP_MALFORMED_COMMAND_INITIATE", `an INITIATE of ${body.length} octets`);
    }
    const cookie = body.subarray(INITIATE.length, INITIATE_COUNTER_OFFSET);
    if (!sameSecret(cookie, this.#cookie!)) throw fault("ERR_ZMTP_CRYPTOGRAPHIC", "the cookie of another connection");

    const { crypto } = this.#tools;
    this.#key = agreed(crypto.precompute(this.#transient!.secretKey, this.#clientKey!));
    const nonce = nonceOf(NONCE.initiate, body.subarray(INITIATE_COUNTER_OFFSET, INITIATE_BOX_OFFSET));
    const message = opened(crypto.openBox(this.#key, nonce, body.subarray(INITIATE_BOX_OFFSET)), "INITIATE");
    const client = message.subarray(0, KEY_BYTES);
    this.#checkVouch(
      client,
      message.subarray(KEY_BYTES, VOUCH_OFFSET),
      message.subarray(VOUCH_OFFSET, METADATA_OFFSET),
    );

    this.#expected = "nothing";
    const counter = readCounter(body, INITIATE_COUNTER_OFFSET);
    this.#host.authenticate([client], () => this.#ready(message.subarray(METADATA_OFFSET), counter));
  }

  /** The client proves that it holds c: only so can it have sealed C' and S between C and S'. */
  #checkVouch(client: Buffer, vouchNonce: Buffer, vouch: Buffer): void {
    const { crypto } = this.#tools;
    const key = agreed(crypto.precompute(this.#transient!.secretKey, client));
    const claim = opened(crypto.openBox(key, nonceOf(NONCE.vouch, vouchNonce), vouch), "vouch");
    wipe(key);
    if (!claim.subarray(0, KEY_BYTES).equals(this.#clientKey!)) {
      throw fault("ERR_ZMTP_KEY_EXCHANGE", "a vouch for another connection's key");
    }
    if (!claim.subarray(KEY_BYTES).equals(this.#own.publicKey)) {
      throw fault("ERR_ZMTP_KEY_EXCHANGE", "a vouch made for another server");
    }
  }

  /** The peer may come in. */
  #ready(metadata: Buffer, counter: Counter): void {
    const { crypto } = this.#tools;
    const key = this.#key!;
    this.#host.peerMetadata(metadata);

    const ready = shortCounter(READY_COUNTER);
    this.#host.send(Buffer.concat([READY, ready, crypto.box(key, nonceOf(NONCE.ready, ready), this.#host.metadata)]));
    const sealer = new Sealer(crypto.desk, crypto.cipher(key, NONCE.serverMessage), READY_COUNTER);
    const opener = new Opener(crypto.desk, crypto.cipher(key, NONCE.clientMessage), counter, this.#host.maxMessageSize);
    this.#wire = new CurveWire(sealer, opener);
    wipe(this.#transient?.secretKey, key);
    this.#host.done();
  }
}
