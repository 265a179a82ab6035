/**
 * What every test file imports: uvu's suites with a time limit per test, and its assertions.
 *
 * Sockets of this package do not keep the process alive, so a test that waits for ever would end the process in
 * silence. Here a live timer is held during each test: whatever does not settle fails, by name, when its time is over.
 * An error in a hook, which uvu swallows, and a suite whose `run()` was forgotten are failures too.
 */
import os from "node:os";
import * as uvu from "uvu";

export * as assert from "uvu/assert";

/** How long one test may take on a quiet machine when it does not say otherwise. */
const TEST_TIMEOUT_MS = 10_000;

/** Only tests whose title holds this are run, when it is set. */
const TITLE = process.env.SPEC_TITLE;

/** Processors that are emulated need more. */
const TIMEOUT_FACTOR = Number(process.env.SPEC_TIMEOUT_FACTOR ?? 1);

type Body = () => unknown;

export interface TestOptions {
  /** Milliseconds until the test counts as failed. */
  timeout?: number;
}

export interface Suite {
  (title: string, body: Body, options?: TestOptions): void;
  /** While working on one test; the runner refuses it when CI is set. */
  only(title: string, body: Body, options?: TestOptions): void;
  /** A test that cannot run here. `reason` says what is missing. */
  skip(title: string, reason: string): void;
  before(hook: Body, options?: TestOptions): void;
  after(hook: Body, options?: TestOptions): void;
  beforeEach(hook: Body, options?: TestOptions): void;
  afterEach(hook: Body, options?: TestOptions): void;
  /** Hands the suite to the runner: the last line of a test file. */
  run(): void;
}

/** Suites that hold tests and were not handed to the runner yet. */
const waiting = new Set<string>();

process.on("exit", () => {
  for (const name of waiting) {
    console.error(`suite "${name}" has tests, but run() was not called`);
    process.exitCode = 1;
  }
});

/**
 * How long something may take now that may take `milliseconds` on a quiet machine: the one measure of all limits here.
 */
export function patience(milliseconds: number): number {
  // Processes that want a processor, for each there is.
  const crowding = Math.max(1, os.loadavg()[0] / os.cpus().length);
  return milliseconds * TIMEOUT_FACTOR * crowding;
}

/** Runs `body` and rejects when it has not settled in time; on a machine that is busy it has more of it. */
async function bounded(body: Body, milliseconds: number): Promise<void> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const look = (): void => {
      const passed = performance.now() - started;
      const left = patience(milliseconds) - passed;
      if (left > 0) timer = setTimeout(look, left);
      else reject(new Error(`not settled after ${Math.round(passed)} ms`));
    };
    look();
  });
  try {
    await Promise.race([body(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A hook with a time limit, whose error is printed before uvu loses it. */
function hook(name: string, body: Body, options?: TestOptions): () => Promise<void> {
  return async () => {
    try {
      await bounded(body, options?.timeout ?? TEST_TIMEOUT_MS);
    } catch (error) {
      console.error(`a hook of suite "${name}" failed:`, error);
      process.once("exit", () => {
        process.exitCode = 1;
      });
      throw error;
    }
  };
}

/** Makes a suite; its name is the path of the file it tests, such as "codec/decoder". */
export function suite(name: string): Suite {
  const inner = uvu.suite(name);
  const it = (title: string, body: Body, options?: TestOptions): void => {
    waiting.add(name);
    if (TITLE !== undefined && !title.includes(TITLE)) return;
    inner(title, () => bounded(body, options?.timeout ?? TEST_TIMEOUT_MS));
  };
  it.only = (title: string, body: Body, options?: TestOptions): void => {
    if (process.env.CI) throw new Error(`"${title}" is marked only`);
    waiting.add(name);
    inner.only(title, () => bounded(body, options?.timeout ?? TEST_TIMEOUT_MS));
  };
  it.skip = (title: string, reason: string): void => {
    waiting.add(name);
    console.log(`skipped: ${name}: ${title} (${reason})`);
    inner.skip(title);
  };
  it.before = (body: Body, options?: TestOptions): void => inner.before(hook(name, body, options));
  it.after = (body: Body, options?: TestOptions): void => inner.after(hook(name, body, options));
  it.beforeEach = (body: Body, options?: TestOptions): void => inner.before.each(hook(name, body, options));
  it.afterEach = (body: Body, options?: TestOptions): void => inner.after.each(hook(name, body, options));
  it.run = (): void => {
    waiting.delete(name);
    inner.run();
  };
  return it;
}

/** The suite of a file that needs no name. */
export const test: Suite = suite("");
