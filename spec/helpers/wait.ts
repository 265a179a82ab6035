/** Waiting in tests: never for a time that something takes, always for what is to happen. */

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((fulfil) => setTimeout(fulfil, milliseconds));
}

/** A whole round of the event loop. */
export function turn(): Promise<void> {
  return new Promise((fulfil) => setImmediate(fulfil));
}

/** In so many rounds whatever has reached this process has been handled, and what that brought about in it, too. */
const QUIET_TURNS = 50;

/** Rounds of the event loop: for what nobody tells and no condition shows. */
export async function turns(count = QUIET_TURNS): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

/** Waits until `condition` holds: for what nobody tells. The time limit is the test's. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}

/** True when `condition` holds now and in each of the next rounds of the event loop: for what must not come. */
export async function holds(condition: () => boolean, count = QUIET_TURNS): Promise<boolean> {
  for (let i = 0; i < count && condition(); i++) await turn();
  return condition();
}

/** How often `stays` looks. */
const LOOK_MS = 5;

/**
 * True when `condition` holds for `milliseconds`, and for as many rounds of the event loop as a machine that is not
 * busy has in that time: on one that is, a single timer would tell nothing. For what the kernel does by and by.
 */
export async function stays(condition: () => boolean, milliseconds = 100): Promise<boolean> {
  for (let waited = 0; condition() && waited <= milliseconds; waited += LOOK_MS) await sleep(LOOK_MS);
  return condition();
}

/** True while `promise` is pending, as `stays` looks at it. Rejects as the promise does. */
export async function isPending(promise: Promise<unknown>, milliseconds = 100): Promise<boolean> {
  let isWaiting = true;
  const settled = (): void => {
    isWaiting = false;
  };
  promise.then(settled, settled);
  if (await stays(() => isWaiting, milliseconds)) return true;
  await promise;
  return false;
}

/** What is left after garbage collection. The tests run with --expose-gc. */
export async function collectGarbage(): Promise<NodeJS.MemoryUsage> {
  for (let i = 0; i < 4; i++) {
    (globalThis as { gc?: () => void }).gc?.();
    await sleep(10);
  }
  return process.memoryUsage();
}
