/** Waiting in tests: never for a time that something takes, always for what is to happen. */

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((fulfil) => setTimeout(fulfil, milliseconds));
}

/** A whole round of the event loop. */
export function turn(): Promise<void> {
  return new Promise((fulfil) => setImmediate(fulfil));
}

/** Waits until `condition` holds: for what nobody tells. The time limit is the test's. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

/** How often `isPending` looks. */
const LOOK_MS = 5;

/**
 * Whether `promise` is still pending after `milliseconds`, and after as many rounds of the event loop as a machine that is not
 * busy has in that time: on one that is, a single timer would tell nothing.
 */
export async function isPending(promise: Promise<unknown>, milliseconds = 100): Promise<boolean> {
  let isWaiting = true;
  const settled = (): void => {
    isWaiting = false;
  };
  promise.then(settled, settled);
  for (let waited = 0; isWaiting && waited <= milliseconds; waited += LOOK_MS) await sleep(LOOK_MS);
  if (!isWaiting) await promise;
  return isWaiting;
}

/** What is left after garbage collection. The tests run with --expose-gc. */
export async function collectGarbage(): Promise<NodeJS.MemoryUsage> {
  for (let i = 0; i < 4; i++) {
    (globalThis as { gc?: () => void }).gc?.();
    await sleep(10);
  }
  return process.memoryUsage();
}
