/**
 * Reading into memory of ours, and the documented way beside it: the same messages arrive, whichever is used on which
 * side.
 */
import { connect } from "node:net";
import { Pull } from "../../src/socket/pull.ts";
import { Push } from "../../src/socket/push.ts";
import { parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import { listenSync } from "../../src/transport/listen.ts";
import { direct } from "../../src/transport/reading.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turns } from "../helpers/wait.ts";
import { optionsWith } from "./pair.ts";

const it = suite("transport/reading");

const usual = { ...direct };
it.afterEach(() => {
  Object.assign(direct, usual);
});

/** Sizes around those at which a body is copied, viewed, grown or read to where it belongs. */
const SIZES = [
  0, 1, 255, 256, 511, 512, 513, 4096, 8191, 8192, 8193, 65526, 65527, 65528, 65536, 65545, 131072, 1048577,
];

function body(size: number, seed: number): Buffer {
  const octets = Buffer.allocUnsafe(size);
  for (let i = 0; i < size; i++) octets[i] = (i * 7 + seed) & 255;
  return octets;
}

// Other runtimes than Node have only one way.
for (const connects of new Set([usual.connects, false])) {
  for (const accepts of new Set([usual.accepts, false])) {
    for (const address of ["tcp://127.0.0.1:*", "ipc://*"]) {
      for (const binder of ["receiver", "sender"]) {
        const way = `${connects ? "direct" : "data"} and ${accepts ? "direct" : "data"}`;
        it(`${address}, the ${binder} binds, connecting and accepted sides read by ${way}`, async () => {
          Object.assign(direct, { connects, accepts });
          const push = new Push({ linger: 0 });
          const pull = new Pull();
          const [near, far] = binder === "receiver" ? [pull, push] : [push, pull];
          await near.bind(address);
          far.connect(near.lastEndpoint as string);
          // What the application keeps must not change when later octets come to the same memory.
          const kept: Buffer[][] = [];
          const receiving = (async () => {
            while (kept.length < SIZES.length * 3) kept.push(await pull.receive());
          })();
          for (let round = 0; round < 3; round++) {
            for (const size of SIZES) await push.send([body(size, round), body(7, size)]);
          }
          await receiving;
          kept.forEach(([first, second], index) => {
            const size = SIZES[index % SIZES.length];
            assert.ok(first.equals(body(size, Math.floor(index / SIZES.length))), `a body of ${size}`);
            assert.ok(second.equals(body(7, size)), `behind a body of ${size}`);
          });
          push.close();
          pull.close();
        });
      }
    }
  }
}

if (usual.accepts) {
  it("the sockets of a server read into the memory that all share, as those that connect do", async () => {
    const lent: boolean[] = [];
    const endpoint = parseEndpoint("tcp://127.0.0.1:*", "bind") as TcpEndpoint;
    const listener = listenSync(endpoint, optionsWith(), {
      onStream(stream) {
        stream.handler = { onData: (_chunk, isBorrowed) => lent.push(isBorrowed), onFlushed() {}, onEnd() {} };
      },
      onError() {},
    });
    const peer = connect(Number(/\d+$/.exec(listener.address)), "127.0.0.1");
    for (let i = 1; i <= 3; i++) {
      peer.write("x");
      await eventually(() => lent.length === i);
    }
    assert.equal(lent, [true, true, true]);
    peer.destroy();
    listener.close();
  });
}

it("slow readers stop it in the middle of chunks, and lose nothing", async () => {
  const push = new Push({ linger: 0, sendHighWaterMark: 3 });
  const pull = new Pull({ receiveHighWaterMark: 2 });
  await pull.bind("tcp://127.0.0.1:*");
  push.connect(pull.lastEndpoint as string);
  const sending = (async () => {
    for (let i = 0; i < 3000; i++) await push.send(body(SIZES[i % 12], i));
  })();
  for (let i = 0; i < 3000; i++) {
    if (i % 50 === 0) await turns();
    assert.ok((await pull.receive())[0].equals(body(SIZES[i % 12], i)), `message ${i}`);
  }
  await sending;
  push.close();
  pull.close();
});

it.run();
