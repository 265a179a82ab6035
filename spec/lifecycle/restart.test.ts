/** The bound side is killed and comes back: traffic resumes by itself, for each of the six classic types. */
import { Publisher, Pull, Push, Reply, Request, type Socket, Subscriber } from "zmtp";
import { Child } from "../helpers/child.ts";
import { freePort } from "../helpers/raw-peer.ts";
import { assert, patience, suite } from "../helpers/test.ts";
import { eventually, sleep } from "../helpers/wait.ts";

const it = suite("lifecycle/restart");
const program = new URL("./bound.child.mjs", import.meta.url);
const INTERVAL_MS = 100;
const OPTIONS = { reconnectInterval: INTERVAL_MS, linger: 0 };

/** Two lives of a bound child; `converse` has to make progress in each, and is told which process answers. */
async function twoLives(socket: Socket, type: string, converse: (child: Child) => Promise<void>): Promise<void> {
  const address = `tcp://127.0.0.1:${await freePort()}`;
  let refused = 0;
  socket.events.on("connect:retry", () => refused++);
  socket.connect(address);
  for (let life = 0; life < 3; life++) {
    const child = new Child(program, type, address);
    assert.is(await child.line(), "bound");
    const start = performance.now();
    await converse(child);
    const took = performance.now() - start;
    // Three intervals with their jitter are 600 ms; the rest is for a busy machine.
    assert.ok(took < patience(6 * INTERVAL_MS + 3000), `life ${life}: ${took} ms`);
    await child.kill();
    // The loss, and an attempt that nobody answers.
    const enough = refused + 2;
    if (life === 0) await eventually(() => refused >= enough);
  }
}

it("PUSH to PULL", async () => {
  const push = new Push(OPTIONS);
  let sent = 0;
  let seen = -1;
  await twoLives(push, "pull", async (child) => {
    // What is sent into the dead connection may be lost, but nothing comes twice or out of order.
    for (let got = 0; got < 20; ) {
      await push.send(`${sent++}`);
      await push.send(`${sent++}`);
      const number = Number(await child.line());
      assert.ok(number > seen, `${number} after ${seen}`);
      seen = number;
      got++;
    }
  });
  push.close();
});

it("PULL from PUSH", async () => {
  const pull = new Pull(OPTIONS);
  await twoLives(pull, "push", async (child) => {
    for (let expected = -1; expected < 20; ) {
      const [pid, number] = String(await pull.receive()).split(" ");
      if (Number(pid) !== child.process.pid) continue;
      if (expected === -1) expected = Number(number);
      assert.is(Number(number), expected++);
    }
  });
  pull.close();
});

it("SUB gets its topics again, all 5,000", async () => {
  const sub = new Subscriber(OPTIONS);
  sub.subscribe(...Array.from({ length: 5000 }, (_, i) => `topic ${i}`));
  await twoLives(sub, "pub", async (child) => {
    for (let got = 0; got < 20; ) {
      const [topic, facts] = (await sub.receive()).map(String);
      assert.ok(topic.startsWith("topic "));
      const [pid, count] = facts.split(" ").map(Number);
      if (pid === child.process.pid && count === 5000) got++;
    }
  });
  sub.close();
});

it("PUB to SUB", async () => {
  const pub = new Publisher(OPTIONS);
  let isOver = false;
  const publishing = (async () => {
    for (let i = 0; !isOver; i++, await sleep(2)) {
      await pub.send(`a ${i}`);
      await pub.send(`b ${i}`);
    }
  })();
  let seen = -1;
  await twoLives(pub, "sub", async (child) => {
    for (let got = 0; got < 20; got++) {
      const [topic, number] = (await child.line()).split(" ");
      assert.is(topic, "a");
      assert.ok(Number(number) > seen);
      seen = Number(number);
    }
  });
  isOver = true;
  await publishing;
  pub.close();
});

it("REQ to REP: a request that was lost with its peer is the program's to give up", async () => {
  const req = new Request({ ...OPTIONS, relaxed: true, correlate: true, receiveTimeout: 300 });
  let sent = 0;
  await twoLives(req, "rep", async (child) => {
    for (let got = 0; got < 20; ) {
      await req.send(`${sent}`);
      const reply = await req.receive().catch(() => undefined);
      if (reply !== undefined) {
        assert.equal(reply.map(String), [`${child.process.pid}`, `${sent}`]);
        got++;
      }
      sent++;
    }
  });
  req.close();
});

it("REP to REQ", async () => {
  const rep = new Reply(OPTIONS);
  const answering = (async () => {
    for await (const frames of rep) await rep.send(["answer", ...frames]);
  })();
  await twoLives(rep, "req", async (child) => {
    for (let i = 0; i < 20; i++) assert.is(await child.line(), `answer|${child.process.pid} ${i}`);
  });
  rep.close();
  await answering;
});

it.run();
