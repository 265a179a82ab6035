/** Contexts: limits, defaults, and what keeps the process alive. */
import { Context, Pull, Push, Subscriber } from "zmtp";
import { type ContextCore, coreOf } from "../../src/socket/context.ts";
import { assert, suite } from "../helpers/test.ts";
import { turn } from "../helpers/wait.ts";

const it = suite("socket/context");

function code(body: () => unknown): string | undefined {
  try {
    body();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
}

it("maxSockets counts open sockets", () => {
  const context = new Context({ maxSockets: 2 });
  const first = new Push({ context });
  const second = new Push({ context });
  assert.is(
    code(() => new Push({ context })),
    "EMFILE",
  );
  first.close();
  first.close();
  const third = new Push({ context });
  assert.is(
    code(() => new Push({ context })),
    "EMFILE",
  );
  second.close();
  third.close();
});

it("a socket whose options are refused does not count", () => {
  const context = new Context({ maxSockets: 1 });
  for (let i = 0; i < 3; i++)
    assert.is(
      code(() => new Push({ context, linger: -5 })),
      "EINVAL",
    );
  new Push({ context }).close();
});

it("blocky and ipv6 are the defaults of new sockets", () => {
  const context = new Context();
  const before = new Push({ context });
  context.blocky = false;
  context.ipv6 = true;
  const after = new Push({ context });
  const sub = new Subscriber({ context });
  assert.equal([before.linger, before.ipv6], [-1, false]);
  assert.equal([after.linger, after.ipv6], [0, true]);
  assert.is(sub.linger, 0);
  for (const socket of [before, after, sub]) socket.close();
});

it("inproc names belong to one context", async () => {
  const [one, other] = [new Context(), new Context()];
  const pulls = [new Pull({ context: one }), new Pull({ context: other })];
  for (const pull of pulls) await pull.bind("inproc://same");
  const push = new Push({ context: other });
  push.connect("inproc://same");
  await push.send("x");
  assert.is(pulls[0].readable, false);
  assert.is(String(await pulls[1].receive()), "x");
  for (const socket of [...pulls, push]) socket.close();
});

it("is sealed, and takes options by name only", () => {
  const context = new Context({ ioThreads: 3 });
  assert.is(context.ioThreads, 3);
  assert.throws(() => Object.assign(context, { other: 1 }), /not extensible/);
  assert.throws(() => new Context(1 as never), /Options must be an object/);
});

/** Whether something of the package keeps the process alive, as far as Node tells. */
function timers(): number {
  const { getActiveResourcesInfo } = process as { getActiveResourcesInfo?: () => string[] };
  return getActiveResourcesInfo?.call(process).filter((name) => name === "Timeout").length ?? 0;
}

it("holds are counted, and let go at the end of a turn", async () => {
  const core: ContextCore = coreOf(new Context());
  const before = timers();
  core.hold();
  core.hold();
  assert.is(timers(), before + 1);
  core.release();
  assert.is(timers(), before + 1);
  core.release();
  assert.is(timers(), before + 1);
  await turn();
  assert.is(timers(), before);
  core.hold();
  assert.is(timers(), before + 1);
  core.release();
  core.hold();
  await turn();
  assert.is(timers(), before + 1);
  core.release();
});

it("mustWait: unsent messages, within their linger time", () => {
  const core = coreOf(new Context());
  const member = { hasUnsent: true, linger: 500, flush() {} };
  core.enter(member);
  assert.is(core.mustWait(499), true);
  assert.is(core.mustWait(500), false);
  member.linger = -1;
  assert.is(core.mustWait(1e9), true);
  member.linger = 0;
  assert.is(core.mustWait(0), false);
  member.hasUnsent = false;
  member.linger = -1;
  assert.is(core.mustWait(0), false);
  core.closed();
  core.leave(member);
});

it.run();
