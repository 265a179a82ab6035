/** The two halves of a socket over a pattern that misbehaves: it wakes them while they are asking it. */
import type { OperationSocket, Pattern } from "../../src/socket/pattern.ts";
import { Receiver } from "../../src/socket/receiver.ts";
import { Sender } from "../../src/socket/sender.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("socket/halves");

/** What the halves use of a socket. */
function fakeCore(): { core: OperationSocket; held: () => number } {
  let held = 0;
  const core = {
    isClosed: false,
    assertOpen: () => {},
    options: { sendTimeout: -1, receiveTimeout: -1 },
    context: { turn: { allows: () => true, allowsMany: () => true, count: () => {} } },
    hold: () => held++,
    release: () => held--,
  };
  return { core: core as unknown as OperationSocket, held: () => held };
}

it("a send that is woken while it is made goes once", async () => {
  const { core, held } = fakeCore();
  const sent: string[] = [];
  let isOpen = false;
  const pattern = {
    sendFault: "EAGAIN",
    send: ([frame]: Buffer[]): boolean => {
      if (!isOpen) return false;
      // As when looking at a full peer makes room at it.
      sender.wake();
      sent.push(String(frame));
      return true;
    },
  };
  const sender = new Sender(core, pattern as unknown as Pattern);
  const first = sender.send("1", {});
  assert.is(held(), 1);
  isOpen = true;
  sender.wake();
  await first;
  assert.equal(sent, ["1"]);
  assert.is(held(), 0);
  await sender.send("2", {});
  assert.equal(sent, ["1", "2"]);
});

it("the same for many", async () => {
  const { core, held } = fakeCore();
  const sent: string[] = [];
  let room = 1;
  const pattern = {
    sendFault: "EAGAIN",
    send: ([frame]: Buffer[]): boolean => {
      if (room === 0) return false;
      sender.wake();
      room--;
      sent.push(String(frame));
      return true;
    },
  };
  const sender = new Sender(core, pattern as unknown as Pattern);
  const all = sender.sendMany(["1", "2", "3", "4", "5"], {});
  room = 2;
  sender.wake();
  assert.equal(sent, ["1", "2", "3"]);
  room = 5;
  sender.wake();
  assert.is(await all, 5);
  assert.equal(sent, ["1", "2", "3", "4", "5"]);
  assert.is(held(), 0);
});

it("a receive that is woken while it looks takes one message", async () => {
  const { core, held } = fakeCore();
  const queue: Buffer[][] = [];
  const pattern = {
    receiveFault: "EAGAIN",
    receive: (): Buffer[] | undefined => {
      const frames = queue.shift();
      // As when the message taken lets more come in.
      if (frames !== undefined) {
        receiver.wake();
        if (!receiver.hand([Buffer.from("handed")])) queue.push([Buffer.from("handed")]);
      }
      return frames;
    },
  };
  const receiver = new Receiver(core, pattern as unknown as Pattern);
  const first = receiver.receive({});
  queue.push([Buffer.from("1")], [Buffer.from("2")]);
  receiver.wake();
  assert.is(String(await first), "1");
  assert.is(held(), 0);
  assert.equal(queue.map(String), ["2", "handed"]);
});

it("a receive of many that waited takes what has come by the end of the task, up to its number", async () => {
  const { core, held } = fakeCore();
  const queue: Buffer[][] = [];
  const pattern = { receiveFault: "EAGAIN", canReceive: false, receive: () => queue.shift() };
  const receiver = new Receiver(core, pattern as unknown as Pattern);
  const many = receiver.receiveMany(3, {});
  for (const text of ["1", "2", "3", "4"]) {
    queue.push([Buffer.from(text)]);
    receiver.wake();
  }
  assert.equal((await many).map(String), ["1", "2", "3"]);
  assert.equal((await receiver.receiveMany(3, {})).map(String), ["4"]);
  assert.is(held(), 0);
});

it.run();
