/**
 * Ends requests that keep a process alive against our will. An unref'd handle does not, but a request on it does: a
 * connect that nobody answers, or a write to a peer that does not read, holds Node's event loop for minutes or for
 * ever. So whoever starts one says so here, and while there are any, a timer looks whether the loop has nothing else
 * left. If so, and nobody wants to wait for them (unsent messages within their linger time), they are given up and the
 * process can end.
 *
 * A runtime that does not tell what is active keeps waiting.
 */

import { HELD_CHECK_MS } from "../base/constants.ts";

/** A connect or a write that is under way. */
export interface HeldRequest {
  /** Giving it up loses messages: that is done only if somebody was asked. */
  readonly holdsData: boolean;
  /** Nothing else keeps the process alive: let go. */
  giveUp(): void;
}

/** Names of what is active in Node that may be such a request, or undefined where the runtime does not tell. */
type ListActive = () => readonly string[] | undefined;

const OURS = /(?:Connect|Write|Shutdown)Wrap$/;

/** Functions of Node that @types/node does not have; at run time they may be missing. */
interface ActiveProcess {
  getActiveResourcesInfo?: ListActive;
  _getActiveHandles?: () => readonly { _isStdio?: boolean; fd?: number }[];
}

/**
 * Without output streams that are pipes or terminals: they are listed from their first use on, and keep nothing alive.
 */
const listActive: ListActive = () => {
  const node = process as ActiveProcess;
  const names = node.getActiveResourcesInfo?.();
  let outputs = node._getActiveHandles?.().filter(({ _isStdio, fd }) => _isStdio && fd !== 0).length ?? 0;
  return names?.filter((name) => !/^(?:Pipe|TTY)Wrap$/.test(name) || outputs-- <= 0);
};

export class HeldRequests {
  readonly #requests = new Set<HeldRequest>();
  readonly #askers = new Set<() => boolean>();
  readonly #startTimer: (milliseconds: number, fire: () => void) => unknown;
  readonly #listActive: ListActive;
  #isWatching = false;

  /** @param startTimer starts a timer that does not keep the process alive */
  constructor(startTimer: (milliseconds: number, fire: () => void) => unknown, list: ListActive = listActive) {
    this.#startTimer = startTimer;
    this.#listActive = list;
  }

  add(request: HeldRequest): void {
    this.#requests.add(request);
    if (!this.#isWatching) this.#watch();
  }

  delete(request: HeldRequest): void {
    this.#requests.delete(request);
  }

  /**
   * Registers a question: "shall the process wait for what is under way?" It is asked every HELD_CHECK_MS while only
   * our requests keep the process alive.
   * @returns takes the question back
   */
  onHeld(mustWait: () => boolean): () => void {
    this.#askers.add(mustWait);
    return () => {
      this.#askers.delete(mustWait);
    };
  }

  #watch(): void {
    this.#isWatching = true;
    this.#startTimer(HELD_CHECK_MS, () => {
      this.#isWatching = false;
      if (this.#requests.size === 0) return;
      if (this.#isAllThatIsLeft() && !this.#mustWait()) this.#giveUp();
      if (this.#requests.size > 0 && !this.#isWatching) this.#watch();
    });
  }

  #giveUp(): void {
    const wasAsked = this.#askers.size > 0;
    for (const request of [...this.#requests]) if (wasAsked || !request.holdsData) request.giveUp();
  }

  /**
   * Counted, so that a stranger's request is respected. A stream has a write and a shutdown at most. An empty list is
   * no answer, as something has kept the timer alive: some runtimes always give that.
   */
  #isAllThatIsLeft(): boolean {
    const active = this.#listActive() ?? [];
    return active.length > 0 && active.length <= 2 * this.#requests.size && active.every((name) => OURS.test(name));
  }

  #mustWait(): boolean {
    let answer = false;
    for (const mustWait of this.#askers) answer = mustWait() || answer;
    return answer;
  }
}
