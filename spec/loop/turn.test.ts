/**
 * Nobody starves the event loop: whatever a program does in an endless loop of awaits, timers fire. Ticks are counted
 * while operations are made, not timed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Context, Pull, Push } from "zmtp";
import { OPERATIONS_PER_INPUT } from "../../src/base/constants.ts";
import { Turn } from "../../src/loop/turn.ts";
import { RawPeer } from "../helpers/raw-peer.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("loop/turn");

const folder = mkdtempSync(path.join(tmpdir(), "zmtp-"));
const ENDPOINTS = ["tcp://127.0.0.1:*", `ipc://${folder}/starve`, "inproc://starve"];

it.after(() => rmSync(folder, { recursive: true }));

interface Pair {
  push: Push;
  pull: Pull;
}

async function pair(endpoint: string): Promise<Pair> {
  const context = new Context();
  const pull = new Pull({ context, linger: 0 });
  const push = new Push({ context, linger: 0 });
  await pull.bind(endpoint);
  push.connect(pull.lastEndpoint as string);
  return { push, pull };
}

const WANTED_TICKS = 10;

/** Runs `loops` until a 10 ms timer has fired often enough: had the loop starved it, this would never end. */
async function keepsTicking(
  endpoint: string,
  loops: (pair: Pair, goOn: () => boolean) => Promise<void>[],
): Promise<void> {
  const both = await pair(endpoint);
  let ticks = 0;
  let fuse = 0;
  const timer = setInterval(() => ticks++, 10);
  const goOn = (): boolean => {
    // So that a failure is one, and not a hung process.
    if (++fuse > 20_000_000) throw new Error(`${ticks} ticks only`);
    return ticks < WANTED_TICKS;
  };
  const running = loops(both, goOn);
  // Whichever ends first: the other one may wait for it.
  await Promise.race(running);
  clearInterval(timer);
  both.push.close();
  both.pull.close();
  await Promise.allSettled(running);
  assert.ok(ticks >= WANTED_TICKS);
}

async function sending({ push }: Pair, goOn: () => boolean): Promise<void> {
  while (goOn()) await push.send("x");
}

async function receiving({ pull }: Pair, goOn: () => boolean): Promise<void> {
  while (goOn()) await pull.receive();
}

for (const endpoint of ENDPOINTS) {
  const scheme = endpoint.split(":")[0];

  it(`${scheme}: sends`, () => keepsTicking(endpoint, (both, goOn) => [sending(both, goOn), receiving(both, goOn)]));

  it(`${scheme}: receives`, () => keepsTicking(endpoint, (both, goOn) => [receiving(both, goOn), sending(both, goOn)]));

  it(`${scheme}: iteration`, () =>
    keepsTicking(endpoint, (both, goOn) => [
      (async () => {
        for await (const _ of both.pull) if (!goOn()) break;
      })(),
      sending(both, goOn),
    ]));

  it(`${scheme}: small batches`, () =>
    keepsTicking(endpoint, (both, goOn) => [
      (async () => {
        while (goOn()) await both.push.sendMany(["x", "y", "z"]);
      })(),
      (async () => {
        while (goOn()) await both.pull.receiveMany(5);
      })(),
    ]));

  it(`${scheme}: batches received`, () =>
    keepsTicking(endpoint, (both, goOn) => [
      (async () => {
        while (goOn()) await both.pull.receiveMany();
      })(),
      (async () => {
        while (goOn()) await both.push.sendMany(["x", "y", "z"]);
      })(),
    ]));

  it(`${scheme}: send and receive in one loop`, () =>
    keepsTicking(endpoint, ({ push, pull }, goOn) => [
      (async () => {
        while (goOn()) {
          await push.send("x");
          await pull.receive();
        }
      })(),
    ]));

  it(`${scheme}: send and a small batch in one loop`, () =>
    keepsTicking(endpoint, ({ push, pull }, goOn) => [
      (async () => {
        while (goOn()) {
          await push.sendMany(["x", "y"]);
          for (let got = 0; got < 2; ) got += (await pull.receiveMany(1)).length;
        }
      })(),
    ]));
}

const FLOODED = 12;
const FLOOD = Buffer.alloc(4 * 2 ** 20);
const WANTED_MESSAGES = 2_000_000;

for (const [title, receive] of [
  ["receive", (pull: Pull) => pull.receive().then(() => 1)],
  ["receiveMany", (pull: Pull) => pull.receiveMany().then((messages) => messages.length)],
] as const) {
  it(`a turn is short though many sockets are flooded: ${title}`, async () => {
    const context = new Context();
    const pulls = Array.from({ length: FLOODED }, () => new Pull({ context, receiveHighWaterMark: 0 }));
    const peers: RawPeer[] = [];
    for (const pull of pulls) {
      await pull.bind("tcp://127.0.0.1:*");
      const peer = await RawPeer.connect(pull.lastEndpoint);
      await peer.handshake("PUSH");
      peers.push(peer);
    }
    // Two octets of zero are an empty message.
    for (const peer of peers) peer.socket.write(FLOOD);
    let total = 0;
    let inTurn = 0;
    let most = 0;
    let isOver = false;
    const turns = (): void => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      if (!isOver) setImmediate(turns);
    };
    turns();
    const reading = pulls.map(async (pull) => {
      while (total < WANTED_MESSAGES) {
        const count = await receive(pull);
        total += count;
        inTurn += count;
      }
    });
    await Promise.race(reading);
    isOver = true;
    for (const pull of pulls) pull.close();
    for (const peer of peers) peer.destroy();
    await Promise.allSettled(reading);
    assert.ok(most < WANTED_MESSAGES / 8, `${most} in one turn`);
  });
}

it("the check phase serves everybody who waits for it, however many", async () => {
  for (const waiting of [100, 600, 3000]) {
    const turn = new Turn({ busyPoll: 0 });
    const served = new Array<number>(waiting).fill(0);
    let isOver = false;
    const wait = (index: number): void => {
      turn.afterwards(() => {
        if (isOver) return;
        // As much as is allowed, as a socket takes it that never runs empty.
        while (turn.allows()) {
          turn.count(128);
          served[index] += 128;
        }
        wait(index);
      });
    };
    for (let index = 0; index < waiting; index++) wait(index);
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
    assert.not(served.includes(0), `number ${served.indexOf(0)} of ${waiting} was never served`);
  }
});

it("operations that resolve at once are bounded by number", async () => {
  const turn = new Turn({ busyPoll: 0 });
  let allowed = 0;
  while (turn.allows()) allowed++;
  assert.is(allowed, OPERATIONS_PER_INPUT);
  const order: string[] = [];
  setImmediate(() => order.push("immediate"));
  const later = turn.later("value").then((value) => order.push(value));
  await Promise.resolve().then(() => order.push("microtask"));
  await later;
  assert.equal(order, ["microtask", "immediate", "value"]);
  assert.ok(turn.allows());
});

it("each item ends its turn once, however often it was scheduled; what it schedules then is for the next", async () => {
  const turn = new Turn({ busyPoll: 0 });
  const ended: string[] = [];
  const again = { isScheduled: false, endTurn: () => ended.push("again") };
  const first = {
    isScheduled: false,
    endTurn: () => {
      ended.push("first");
      turn.schedule(again);
    },
  };
  turn.schedule(first);
  turn.schedule(first);
  assert.equal(ended, []);
  await new Promise<void>((fulfil) => setImmediate(fulfil));
  assert.equal(ended, ["first"]);
  await new Promise<void>((fulfil) => setImmediate(fulfil));
  assert.equal(ended, ["first", "again"]);
});

it.run();
