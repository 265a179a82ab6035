/** What is still reachable: buffers are tracked by weak references, and looked for after garbage collection. */
import { patience } from "./test.ts";
import { collectGarbage } from "./wait.ts";

/** How long to collect before what is there counts as kept: finished writes and promises let go a little later. */
const COLLECTING_MS = 1000;

/** Memory up to here may be a pool's, which stays: Node's has 8 KiB, or 64 and a little more. */
const POOL_BYTES = Math.max(2 * Buffer.poolSize, 8192);

export class Kept {
  readonly #tracked: { readonly what: string; readonly reference: WeakRef<object> }[] = [];

  /** Tracks a body, and its memory if that is its own, by a name for the report. */
  track<B extends Uint8Array>(what: string, body: B): B {
    this.#tracked.push({ what, reference: new WeakRef(body) });
    if (body.buffer.byteLength > POOL_BYTES) {
      this.#tracked.push({ what: `the memory of ${what}`, reference: new WeakRef(body.buffer) });
    }
    return body;
  }

  /** The names of those that are still reachable. */
  async left(): Promise<string[]> {
    const started = performance.now();
    do await collectGarbage();
    while (this.#alive().length > 0 && performance.now() - started < patience(COLLECTING_MS));
    return this.#alive();
  }

  #alive(): string[] {
    return this.#tracked.filter(({ reference }) => reference.deref() !== undefined).map(({ what }) => what);
  }
}
