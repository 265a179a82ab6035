/**
 * The greeting, played in stages against a peer of any age.
 *
 *     we have received          we send
 *     nothing                   the signature, 10 octets, at once
 *     a 1.0 peer's first frame  nothing more here: the signature was the head of a frame whose body is our routing id
 *     10 octets, octet 9 odd    our major version
 *     octet 10 is 1 or 2 (2.0)  our socket type
 *     octet 10 is 3 or more     the rest, 53 octets
 *
 * Neither side may wait for more than that before it sends: libzmq sends its first ten octets and waits for ten. And
 * octet 11 must not go out before a 1.0 peer was ruled out. Octets may come one at a time, or all at once with the
 * first commands. When security is wanted, the greeting of a peer without ends with the octet that shows it: it is told
 * nothing more.
 */
import {
  encodeGreeting,
  GREETING_2_0_BYTES,
  GREETING_BYTES,
  greetingCountsRoutingId,
  greetingMechanism,
  MAJOR_OFFSET,
  type ProtocolVersion,
  SIGNATURE_BYTES,
  sniffVersion,
  ZMTP_1_0,
  ZMTP_2_0,
  ZMTP_3_0,
  ZMTP_3_1,
} from "../codec/greeting.ts";

/** Says of this end what the greeting tells. */
export interface OwnGreeting {
  readonly mechanism: string;
  readonly asServer: boolean;
  readonly socketType: number;
  readonly routingIdLength: number;
  /** Peers of ZMTP 1.0 and 2.0, which know no security, are going to be refused. */
  readonly refusesClassic: boolean;
}

export class GreetingExchange {
  /** The version that the peer speaks; undefined until its greeting is complete. */
  version: ProtocolVersion | undefined = undefined;
  readonly #own: OwnGreeting;
  readonly #greeting: Buffer;
  readonly #send: (octets: Buffer) => void;
  readonly #octets: Buffer = Buffer.allocUnsafe(GREETING_BYTES);
  #count = 0;

  constructor(own: OwnGreeting, send: (octets: Buffer) => void) {
    this.#own = own;
    this.#greeting = encodeGreeting(own.mechanism, own.asServer, own.routingIdLength);
    this.#send = send;
  }

  /** Sends the signature. */
  start(): void {
    this.#send(this.#greeting.subarray(0, SIGNATURE_BYTES));
  }

  /**
   * Takes the octets of the greeting from the chunk, and none behind them. Returns how many it took.
   * @throws ProtocolError for a greeting that is none.
   */
  receive(chunk: Buffer): number {
    let offset = 0;
    while (this.version === undefined && offset < chunk.length) {
      // The version shows octet by octet; the rest of a 3.x greeting is taken as it comes.
      const wanted = this.#count < GREETING_2_0_BYTES ? 1 : GREETING_BYTES - this.#count;
      const end = Math.min(offset + wanted, chunk.length);
      chunk.copy(this.#octets, this.#count, offset, end);
      this.#count += end - offset;
      offset = end;
      this.#advance();
    }
    return offset;
  }

  /** The octets taken so far: of a 1.0 peer, which has no greeting, the first ones of its first frame. */
  get taken(): Buffer {
    return this.#octets.subarray(0, this.#count);
  }

  /** The socket type of a 2.0 peer. */
  get socketType(): number {
    return this.#octets[GREETING_2_0_BYTES - 1];
  }

  /** The mechanism of a 3.x peer. */
  get mechanism(): string {
    return greetingMechanism(this.#octets);
  }

  /** True when the peer greets as libzmq 4.3.3 and later do. */
  get isLibzmq(): boolean {
    return this.version === ZMTP_3_1 && greetingCountsRoutingId(this.#octets);
  }

  #advance(): void {
    const version = sniffVersion(this.#octets, this.#count);
    if (version !== undefined && version < ZMTP_3_0 && this.#own.refusesClassic) {
      this.version = version;
      return;
    }
    if (this.#count === SIGNATURE_BYTES && version !== ZMTP_1_0) {
      this.#send(this.#greeting.subarray(MAJOR_OFFSET, MAJOR_OFFSET + 1));
    }
    if (this.#count === MAJOR_OFFSET + 1) {
      if (version === ZMTP_2_0) this.#send(Buffer.of(this.#own.socketType));
      else this.#send(this.#greeting.subarray(MAJOR_OFFSET + 1));
    }
    if (version === ZMTP_1_0) this.version = version;
    if (version === ZMTP_2_0 && this.#count === GREETING_2_0_BYTES) this.version = version;
    if ((version === ZMTP_3_0 || version === ZMTP_3_1) && this.#count === GREETING_BYTES) this.version = version;
  }
}
