/**
 * The ways of a message, in and out: every call on them decides something, and on the way in none enters a file a
 * second time.
 */
import { Pull, Push } from "../../src/index.ts";
import { callsOf, NAMES_SOURCES } from "../helpers/calls.ts";
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
  it(`a message reaches a waiting receive by at most 8 calls, each in a file of its own (${transport})`, async () => {
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
    if (!NAMES_SOURCES) return;
    assert.ok(files.length > 0 && files.length <= 8, files.join("\n"));
    assert.is(new Set(files).size, files.length, files.join("\n"));
    assert.is(files[0], "socket/receiver.ts");
  });
}

for (const transport of ["tcp", "ipc"] as const) {
  it(`a message is sent by 18 calls in 13 files at the most, the first of a turn by 27 (${transport})`, async () => {
    if (!NAMES_SOURCES) return;
    const [pull, push] = [sockets.own(new Pull()), sockets.own(new Push())];
    await sockets.join(pull, push, transport);
    const body = Buffer.from("body");
    const sending = async (count: number): Promise<string[]> => {
      await push.send("before");
      await next(pull);
      // The turn in which that came is over.
      await new Promise((resolve) => setImmediate(resolve));
      return callsOf(() => {
        for (let i = 0; i < count; i++) void push.send(body);
      });
    };
    await sending(1);
    const one = await sending(1);
    const two = await sending(2);
    assert.ok(one.length <= 27, one.join("\n"));
    assert.ok(two.length - one.length <= 18, two.join("\n"));
    const more = two.filter((call) => two.indexOf(call) !== two.lastIndexOf(call));
    assert.ok(new Set(more.map((call) => call.split(" ")[0])).size <= 13, more.join("\n"));
  });
}

it.run();
