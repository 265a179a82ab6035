/** The way of a message in: every call on it decides something, and none enters a file a second time. */
import { Pull, Push } from "../../src/index.ts";
import { next } from "../helpers/messages.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("socket/walk");
const sockets = new Sockets(it);

/** The files of src/ that are on the stack, the last called first. */
function ours(stack: string): string[] {
  return [...stack.matchAll(/\bsrc\/([a-z0-9/-]+\.ts):/g)].map(([, file]) => file);
}

/** Runs `action`, and gives the stack on which the first promise was resolved with a message meanwhile. */
async function resolving(action: () => Promise<unknown>): Promise<string> {
  let stack = "";
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  // A promise that is resolved asks what it is resolved with for its `then`: of an array, here.
  // biome-ignore lint/suspicious/noThenProperty: the getter is what is asked
  Object.defineProperty(Array.prototype, "then", {
    configurable: true,
    get(this: unknown[]) {
      if (stack === "" && Buffer.isBuffer(this[0])) stack = String(new Error("here").stack);
      return undefined;
    },
  });
  try {
    await action();
  } finally {
    Reflect.deleteProperty(Array.prototype, "then");
    Error.stackTraceLimit = limit;
  }
  return stack;
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`a message reaches a receive that waits by 8 calls at the most, each in a file of its own (${transport})`, async () => {
    const [pull, push] = [sockets.own(new Pull()), sockets.own(new Push())];
    await sockets.join(pull, push, transport);
    // Both are in traffic then.
    await push.send("first");
    await next(pull);
    const files = ours(
      await resolving(async () => {
        const received = pull.receive();
        await push.send("second");
        assert.is(String(await received), "second");
      }),
    );
    // Without source maps, as on other runtimes, a stack does not name our files.
    if (!process.execArgv.includes("--enable-source-maps")) return;
    assert.ok(files.length > 0 && files.length <= 8, files.join("\n"));
    assert.is(new Set(files).size, files.length, files.join("\n"));
    assert.is(files[0], "socket/receiver.ts");
  });
}

it.run();
