import { Pull, Push } from "../../src/index.ts";
import { RawPeer } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS, texts } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending, stays, turns } from "../helpers/wait.ts";

const it = suite("socket/push-pull");
const sockets = new Sockets(it);

async function receiveText(pull: Pull): Promise<string> {
  return texts(await pull.receive()).join("|");
}

/** Sends messages to the PULL that is bound there, and returns when it has them. */
async function deliver(address: string, ...messages: string[]): Promise<void> {
  if (address.startsWith("inproc:")) {
    const push = sockets.own(new Push());
    push.connect(address);
    for (const message of messages) await push.send(message);
    await turns();
  } else {
    const peer = await RawPeer.connect(address);
    await peer.handshake("PUSH");
    for (const message of messages) peer.send(message);
    await peer.answered();
  }
}

/** How many messages `push` takes before it would have to wait, for good. */
async function fill(push: Push, body: Buffer = Buffer.alloc(0)): Promise<number> {
  push.sendTimeout = 0;
  for (let sent = 0; ; ) {
    const error = await push.send([String(sent), body]).catch((reason) => reason);
    if (error === undefined) sent++;
    else {
      assert.is(error.code, "EAGAIN");
      // The peer goes on reading until its own mark, at the pace of this machine.
      if (await stays(() => !push.writable)) return sent;
    }
  }
}

for (const transport of TRANSPORTS) {
  it(`messages go to the peers in turn (${transport})`, async () => {
    const push = sockets.own(new Push());
    const address = await sockets.bound(push, transport);
    const pulls = [0, 1, 2].map(() => sockets.own(new Pull()));
    for (const pull of pulls) pull.connect(address);
    let pings = 0;
    await eventually(async () => {
      await push.send("ping");
      pings++;
      return pulls.every((pull) => pull.readable);
    });
    await eventually(async () => {
      for (const pull of pulls) if (pull.readable) pings -= (await pull.receiveMany()).length;
      return pings === 0;
    });
    for (let i = 0; i < 9; i++) await push.send(["m", String(i)]);
    const shares = [];
    for (const pull of pulls) shares.push([await receiveText(pull), await receiveText(pull), await receiveText(pull)]);
    assert.equal(shares.flat().sort(), ["m|0", "m|1", "m|2", "m|3", "m|4", "m|5", "m|6", "m|7", "m|8"]);
    for (const share of shares) {
      assert.is(share.length, 3);
      assert.is(Number(share[1].slice(2)) - Number(share[0].slice(2)), 3);
      assert.is(Number(share[2].slice(2)) - Number(share[1].slice(2)), 3);
    }
  });

  it(`messages come from the peers in turn (${transport})`, async () => {
    const pull = sockets.own(new Pull());
    const address = await sockets.bound(pull, transport);
    const pushes = ["a", "b", "c"].map((name) => ({ name, push: sockets.own(new Push()) }));
    for (const { name, push } of pushes) {
      push.connect(address);
      for (let i = 0; i < 5; i++) await push.send([name, String(i)]);
    }
    await turns();
    const got: string[] = [];
    for (let i = 0; i < 15; i++) got.push(texts(await pull.receive()).join(""));
    for (const { name } of pushes) {
      const own = got.filter((text) => text.startsWith(name));
      assert.equal(
        own,
        [0, 1, 2, 3, 4].map((i) => `${name}${i}`),
      );
    }
    if (transport === "inproc") assert.equal(got.slice(0, 6), ["a0", "b0", "c0", "a1", "b1", "c1"]);
  });

  it(`a busy peer does not keep a quiet one waiting (${transport})`, async () => {
    const pull = sockets.own(new Pull());
    const address = await sockets.bound(pull, transport);
    const busy = sockets.own(new Push());
    busy.connect(address);
    for (let i = 0; i < 500; i++) await busy.send("busy");
    await pull.receive();
    await deliver(address, "quiet");
    const next = [await receiveText(pull), await receiveText(pull)];
    assert.ok(next.includes("quiet"), next.join());
  });

  it(`a send waits without a peer, and goes when one comes (${transport})`, async () => {
    const push = sockets.own(new Push());
    const address = await sockets.bound(push, transport);
    const sending = push.send("x");
    assert.ok(await isPending(sending, 20));
    const pull = sockets.own(new Pull());
    pull.connect(address);
    await sending;
    assert.is(await receiveText(pull), "x");
  });

  it(`a send waits at the high-water mark, and nothing is lost (${transport})`, async () => {
    const push = sockets.own(new Push({ sendHighWaterMark: 5, sendBufferSize: 4096 }));
    const pull = sockets.own(new Pull({ receiveHighWaterMark: 5, receiveBufferSize: 4096 }));
    await sockets.join(pull, push, transport);
    await push.send(["first", ""]);
    await pull.receive();
    const body = Buffer.alloc(100_000);
    const sent = await fill(push, body);
    if (transport === "inproc") assert.is(sent, 10);
    assert.ok(sent >= 10, String(sent));
    push.sendTimeout = -1;
    const waiting = push.send([String(sent), body]);
    assert.ok(await isPending(waiting, 20));
    for (let i = 0; i <= sent; i++) assert.is(String((await pull.receive())[0]), String(i));
    await waiting;
  });

  it(`a mark of 0 is no limit (${transport})`, async () => {
    const push = sockets.own(new Push({ sendHighWaterMark: 0, sendTimeout: 0 }));
    const pull = sockets.own(new Pull({ receiveHighWaterMark: 0 }));
    await sockets.join(pull, push, transport);
    for (let i = 0; i < 20_000; i++) await push.send(`${i}`);
    for (let i = 0; i < 20_000; i++) assert.is(String((await pull.receive())[0]), String(i));
  });

  it(`conflate keeps the newest message only, whole (${transport})`, async () => {
    for (const [ours, theirs] of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const push = sockets.own(new Push({ conflate: ours, sendTimeout: 0 }));
      const pull = sockets.own(new Pull({ conflate: theirs, receiveHighWaterMark: 1 }));
      await sockets.join(pull, push, transport);
      for (let i = 0; i < 1000; i++) await push.send(["m", String(i)]);
      let last = await receiveText(pull);
      // One end alone conflates what it holds; over inproc there is nothing in between.
      if (transport === "inproc") assert.is(last, "m|999");
      while (last !== "m|999") last = await receiveText(pull);
      pull.receiveTimeout = 20;
      assert.is((await rejected(() => pull.receive())).code, "EAGAIN");
    }
  });

  it(`a conflating reader that is late gets one message (${transport})`, async () => {
    const pull = sockets.own(new Pull({ conflate: true, receiveHighWaterMark: 1 }));
    await deliver(await sockets.bound(pull, transport), "1", "2", "3", "last");
    assert.is(await receiveText(pull), "last");
    assert.not(pull.readable);
  });

  it(`what has been received can be read after the peer has gone (${transport})`, async () => {
    const push = sockets.own(new Push());
    const pull = sockets.own(new Pull());
    await sockets.join(pull, push, transport);
    let isGone = false;
    pull.events.on("disconnect", () => {
      isGone = true;
    });
    for (const message of ["1", "2", "3"]) await push.send(message);
    push.close();
    // inproc tells no events.
    await (transport === "inproc" ? turns() : eventually(() => isGone));
    for (const message of ["1", "2", "3"]) assert.is(await receiveText(pull), message);
  });

  it(`what has been received can be read after unbind, not after disconnect (${transport})`, async () => {
    const pull = sockets.own(new Pull());
    await deliver(await sockets.bound(pull, transport), "1", "2");
    await pull.unbind(pull.lastEndpoint as string);
    assert.is(await receiveText(pull), "1");
    assert.is(await receiveText(pull), "2");

    const binding = sockets.own(new Push());
    const connecting = sockets.own(new Pull());
    await sockets.join(binding, connecting, transport);
    await binding.send("1");
    await eventually(() => connecting.readable);
    connecting.disconnect(binding.lastEndpoint as string);
    assert.is(connecting.readable, false);
    connecting.receiveTimeout = 20;
    assert.is((await rejected(() => connecting.receive())).code, "EAGAIN");
  });

  it(`close delivers what was sent (${transport})`, async () => {
    const pull = sockets.own(new Pull({ receiveHighWaterMark: 0 }));
    const push = new Push({ sendHighWaterMark: 0 });
    await sockets.join(pull, push, transport);
    for (let i = 0; i < 2000; i++) void push.send(String(i));
    push.close();
    assert.is(push.closed, true);
    for (let i = 0; i < 2000; i++) assert.is(await receiveText(pull), String(i));
  });

  it(`a second connect to the same address is a second connection (${transport})`, async () => {
    const push = sockets.own(new Push());
    const pull = sockets.own(new Pull());
    const address = await sockets.join(pull, push, transport);
    push.connect(address);
    await push.send("1");
    await push.send("2");
    assert.equal([await receiveText(pull), await receiveText(pull)].sort(), ["1", "2"]);
    push.disconnect(address);
    assert.is(push.writable, false);
  });
}

it("a connection counts as a peer at once, up to the mark", async () => {
  for (const mark of [1, 2, 3, 10]) {
    const push = sockets.own(new Push({ sendHighWaterMark: mark }));
    push.connect("tcp://127.0.0.1:1");
    assert.is(await fill(push), mark);
  }
});

it("a mark that is set later holds for the peers there are", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 1 }));
  push.connect("tcp://127.0.0.1:1");
  assert.is(await fill(push), 1);
  push.sendHighWaterMark = 4;
  assert.is(await fill(push), 3);
  push.sendTimeout = -1;
  const waiting = push.send("x");
  push.sendHighWaterMark = 20;
  await waiting;
});

it("immediate: only peers that are there count", async () => {
  const push = sockets.own(new Push({ immediate: true, reconnectInterval: 10 }));
  const pull = sockets.own(new Pull());
  push.connect("tcp://127.0.0.1:1");
  assert.is(push.writable, false);
  const sending = push.send("x");
  assert.ok(await isPending(sending, 30));
  const address = await sockets.join(pull, push, "tcp");
  await sending;
  assert.is(await receiveText(pull), "x");
  await pull.unbind(address);
  await eventually(() => !push.writable);
  push.sendTimeout = 0;
  assert.is((await rejected(() => push.send("y"))).code, "EAGAIN");
});

it("what waits for a peer survives its restart", async () => {
  const push = sockets.own(new Push({ reconnectInterval: 10 }));
  const first = sockets.own(new Pull());
  const address = await sockets.join(first, push, "tcp");
  await push.send("1");
  assert.is(await receiveText(first), "1");
  const gone = new Promise((resolve) => push.events.on("disconnect", resolve));
  first.close();
  await gone;
  await push.send("2");
  await push.send("3");
  const second = sockets.own(new Pull());
  await eventually(() =>
    second.bind(address).then(
      () => true,
      () => false,
    ),
  );
  assert.is(await receiveText(second), "2");
  assert.is(await receiveText(second), "3");
});

it("a pending send moves to a peer that has room", async () => {
  const push = sockets.own(new Push({ sendHighWaterMark: 1 }));
  push.connect("tcp://127.0.0.1:1");
  await push.send("stuck");
  const sending = push.send("x");
  assert.ok(await isPending(sending, 20));
  const pull = sockets.own(new Pull());
  await sockets.join(pull, push, "tcp");
  await sending;
  assert.is(await receiveText(pull), "x");
});

it.run();
