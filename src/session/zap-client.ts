/**
 * Security of an endpoint's connections: makes the CURVE side, once for all of them, and carries questions to the ZAP
 * handler, which is another socket of the same context (RFC 27, "ZAP").
 */

import { errnoError } from "../base/errors.ts";
import { type PeerFacts, UNKNOWN_PEER } from "../codec/peer-facts.ts";
import type { ZapHook } from "../connection/security.ts";
import { loadCurve } from "../mechanism/lazy.ts";
import type { MechanismFactory } from "../mechanism/mechanism.ts";
import { ZAP_ENDPOINT } from "../mechanism/zap.ts";
import type { OptionValues } from "../options/values.ts";
import type { Pipe, PipeOwner } from "../pipe/pipe.ts";
import type { InprocNames } from "../transport/inproc.ts";
import type { InprocPipe, InprocSocket } from "../transport/inproc-pipe.ts";

/**
 * Makes the CURVE side of an endpoint's connections; undefined with another mechanism.
 * @throws ErrnoError EINVAL for a security that could never let anybody in: a key is missing, or nobody could be asked
 * about passwords
 */
export function curveOf(options: OptionValues): MechanismFactory | undefined {
  if (options.plainServer && options.zapEnforceDomain && options.zapDomain.length === 0) {
    throw errnoError("EINVAL", undefined, "plainServer with zapEnforceDomain needs zapDomain");
  }
  return options.securityMechanism === "curve" ? loadCurve().curveMechanism(options) : undefined;
}

/** True when connections may have to ask the ZAP handler. */
export function mayAsk(options: OptionValues): boolean {
  return options.zapDomain.length > 0 || options.plainServer || options.curveServer;
}

/**
 * The answer when the ZAP handler went away with the question: nobody is let in by its death, and the peer may come
 * again. libzmq's clients would take 500 as final.
 */
const GONE = ["", "1.0", "1", "300", "ZAP handler is gone", "", ""].map((text) => Buffer.from(text));

const NO_LIMITS: InprocSocket["limits"] = {
  send: Number.POSITIVE_INFINITY,
  receive: Number.POSITIVE_INFINITY,
  conflate: false,
};

/** One question to the ZAP handler, through a pipe of its own. */
export class ZapQuestion implements PipeOwner, InprocSocket {
  readonly pattern: this = this;
  readonly limits: InprocSocket["limits"] = NO_LIMITS;
  readonly #answer: Parameters<ZapHook>[1];
  #pipe: InprocPipe | undefined;
  #isDone = false;

  /** Asks. `answer` is called once, perhaps before this returns, unless `cancel` is called before. */
  constructor(names: InprocNames, frames: Buffer[], answer: Parameters<ZapHook>[1]) {
    this.#answer = answer;
    if (!names.has(ZAP_ENDPOINT)) {
      this.#finish(undefined);
      return;
    }
    this.#pipe = names.connect(ZAP_ENDPOINT, this, undefined);
    this.#pipe.write(frames);
    if (this.#isDone) this.#pipe.close();
  }

  /** Gives the question up: nobody waits for the answer any more. */
  cancel(): void {
    this.#isDone = true;
    this.#pipe?.close();
  }

  deliver(_pipe: Pipe, frames: Buffer[]): boolean {
    this.#finish(frames);
    return true;
  }

  ended(): void {
    this.#finish(GONE);
  }

  attach(): void {}
  connected(): void {}
  disconnected(): void {}
  readable(): void {}
  writable(): void {}
  subscription(): void {}
  schedule(): void {}

  facts(): PeerFacts {
    return UNKNOWN_PEER;
  }

  #finish(reply: readonly Buffer[] | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#pipe?.close();
    this.#answer(reply);
  }
}
