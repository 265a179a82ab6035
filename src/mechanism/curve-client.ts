/**
 * The client of CURVE: knows the server's key beforehand, and proves its own. Layouts and names: curve-handshake.ts.
 *
 * RFC 26 "CurveZMQ"; libzmq options ZMQ_CURVE_PUBLICKEY, ZMQ_CURVE_SECRETKEY, ZMQ_CURVE_SERVERKEY.
 */
import { wipe } from "../base/bytes.ts";
import { ERROR, errorReason, READY } from "../codec/command.ts";
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
  isCommandNamed,
  LONG_NONCE_BYTES,
  NONCE,
  nonceOf,
  opened,
  READY_BYTES,
  readCounter,
  shortCounter,
  WELCOME,
  WELCOME_BYTES,
} from "./curve-handshake.ts";
import { Opener } from "./curve-opener.ts";
import { Sealer } from "./curve-sealer.ts";
import { CurveWire } from "./curve-wire.ts";
import type { Mechanism, MechanismHost } from "./mechanism.ts";

/** The counters of a client's commands; its messages go on behind. */
const HELLO_COUNTER = 1;
const INITIATE_COUNTER = 2;

const HELLO_PADDING_BYTES = 72;
const SIGNED_ZEROS_BYTES = 64;
const VERSION: Uint8Array = Uint8Array.of(1, 0);

export class CurveClient implements Mechanism {
  readonly errorPrefix: Buffer = ERROR;
  readonly #host: MechanismHost;
  readonly #own: KeyPair;
  readonly #serverKey: Buffer;
  readonly #tools: CurveTools;
  readonly #transient: KeyPair;
  /** C'->S, then C'->S'. */
  #key: Buffer | undefined = undefined;
  #expected: "WELCOME" | "READY" = "WELCOME";
  #wire: CurveWire | undefined = undefined;

  /** The keys stay their owner's, who may change or wipe them between two connections. */
  constructor(host: MechanismHost, own: KeyPair, serverKey: Buffer, tools: CurveTools) {
    this.#host = host;
    this.#own = own;
    this.#serverKey = serverKey;
    this.#tools = tools;
    this.#transient = keyPair(tools.crypto, tools.random);
  }

  get wire(): CurveWire | undefined {
    return this.#wire;
  }

  start(): void {
    const { crypto } = this.#tools;
    const counter = shortCounter(HELLO_COUNTER);
    this.#key = agreed(crypto.precompute(this.#transient.secretKey, this.#serverKey));
    const signature = crypto.box(this.#key, nonceOf(NONCE.hello, counter), Buffer.alloc(SIGNED_ZEROS_BYTES));
    const padding = Buffer.alloc(HELLO_PADDING_BYTES);
    const hello = Buffer.concat([HELLO, VERSION, padding, this.#transient.publicKey, counter, signature], HELLO_BYTES);
    this.#host.send(hello);
  }

  receive(body: Buffer): void {
    if (isCommandNamed(body, ERROR)) this.#host.peerError(errorReason(body, ERROR.length));
    if (this.#expected === "WELCOME" && isCommandNamed(body, WELCOME)) this.#welcome(body);
    else if (this.#expected === "READY" && isCommandNamed(body, READY)) this.#ready(body);
    else throw fault("ERR_ZMTP_UNEXPECTED_COMMAND", `expected ${this.#expected}`);
  }

  close(): void {
    wipe(this.#transient.secretKey, this.#key);
    this.#wire?.wipe();
  }

  #welcome(body: Buffer): void {
    if (body.length !== WELCOME_BYTES) {
      throw fault("ERR_ZMTP_MALFORMED_COMMAND_WELCOME", `a WELCOME of ${body.length} octets`);
    }
    const { crypto } = this.#tools;
    const nonceEnd = WELCOME.length + LONG_NONCE_BYTES;
    const nonce = nonceOf(NONCE.welcome, body.subarray(WELCOME.length, nonceEnd));
    const message = opened(crypto.openBox(this.#key!, nonce, body.subarray(nonceEnd)), "WELCOME");
    const transientServerKey = message.subarray(0, KEY_BYTES);
    const cookie = message.subarray(KEY_BYTES, KEY_BYTES + COOKIE_BYTES);

    wipe(this.#key);
    this.#key = agreed(crypto.precompute(this.#transient.secretKey, transientServerKey));
    this.#expected = "READY";
    this.#initiate(transientServerKey, cookie);
  }

  #initiate(transientServerKey: Buffer, cookie: Buffer): void {
    const { crypto, random } = this.#tools;
    const vouchKey = agreed(crypto.precompute(this.#own.secretKey, transientServerKey));
    const vouchNonce = random(LONG_NONCE_BYTES);
    const claim = Buffer.concat([this.#transient.publicKey, this.#serverKey]);
    const vouch = crypto.box(vouchKey, nonceOf(NONCE.vouch, vouchNonce), claim);
    wipe(vouchKey);

    const counter = shortCounter(INITIATE_COUNTER);
    const message = Buffer.concat([this.#own.publicKey, vouchNonce, vouch, this.#host.metadata]);
    const sealed = crypto.box(this.#key!, nonceOf(NONCE.initiate, counter), message);
    this.#host.send(Buffer.concat([INITIATE, cookie, counter, sealed]));
  }

  #ready(body: Buffer): void {
    if (body.length < READY_BYTES) {
      throw fault("ERR_ZMTP_MALFORMED_COMMAND_READY", `a READY of ${body.length} octets`);
    }
    const { crypto } = this.#tools;
    const counterEnd = READY.length + COUNTER_BYTES;
    const nonce = nonceOf(NONCE.ready, body.subarray(READY.length, counterEnd));
    const metadata = opened(crypto.openBox(this.#key!, nonce, body.subarray(counterEnd)), "READY");
    this.#host.peerMetadata(metadata);

    const key = this.#key!;
    const sealer = new Sealer(crypto.desk, crypto.cipher(key, NONCE.clientMessage), INITIATE_COUNTER);
    const counter = readCounter(body, READY.length);
    const opener = new Opener(crypto.desk, crypto.cipher(key, NONCE.serverMessage), counter, this.#host.maxMessageSize);
    this.#wire = new CurveWire(sealer, opener);
    wipe(this.#transient.secretKey, key);
    this.#host.done();
  }
}
