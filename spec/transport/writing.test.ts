/**
 * Large writes in pieces: the same octets in the same order, whatever the kernel takes at once, and a fault when memory
 * goes.
 */
import { once } from "node:events";
import { createServer, Socket as NetSocket } from "node:net";
import { WRITE_PIECE_BYTES, WRITE_TAIL_BYTES } from "../../src/base/constants.ts";
import { writeMany, writeOne } from "../../src/transport/writing.ts";
import { assert, suite } from "../helpers/test.ts";
import { transfer } from "../helpers/transfer.ts";

const it = suite("transport/writing");

const SIZES = [
  1,
  65_536,
  2 * WRITE_PIECE_BYTES - 1,
  2 * WRITE_PIECE_BYTES,
  2 * WRITE_PIECE_BYTES + 1,
  3 * WRITE_PIECE_BYTES - 1,
  7 * WRITE_PIECE_BYTES + 12_345,
];

/** Octets that tell where they belong. */
function pattern(size: number, seed: number): Buffer {
  const octets = Buffer.allocUnsafeSlow(size);
  for (let i = 0; i < size; i++) octets[i] = (i * 31 + (i >>> 9) + seed) & 0xff;
  return octets;
}

/** Two ends of a connection; what the far end has read. */
async function pair(): Promise<{ near: NetSocket; far: NetSocket; read: Buffer[]; close: () => Promise<void> }> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const near = new NetSocket();
  near.on("error", () => {});
  near.connect((server.address() as { port: number }).port, "127.0.0.1");
  const [[far]] = (await Promise.all([once(server, "connection"), once(near, "connect")])) as [[NetSocket], unknown];
  const read: Buffer[] = [];
  far.on("data", (chunk) => read.push(chunk)).on("error", () => {});
  const close = async (): Promise<void> => {
    near.destroy();
    far.destroy();
    server.close();
    await once(server, "close");
  };
  return { near, far, read, close };
}

it("one chunk or many arrive as they are, written in pieces or not", async () => {
  for (const size of SIZES) {
    const whole = pattern(size, size);
    const third = Math.ceil(size / 3);
    const splits = [
      [whole],
      [whole.subarray(0, 9), whole.subarray(9)],
      [whole.subarray(0, third), whole.subarray(third, 2 * third), whole.subarray(2 * third)],
      [whole.subarray(0, -WRITE_TAIL_BYTES), whole.subarray(-WRITE_TAIL_BYTES)],
      [whole.subarray(0, -1), whole.subarray(-1)],
    ].map((chunks) => chunks.filter(({ length }) => length > 0));
    for (const chunks of splits) {
      const { near, far, read, close } = await pair();
      const written = new Promise<Error | null | undefined>((resolve) => {
        if (chunks.length === 1) writeOne(near, chunks[0] as Buffer, resolve);
        else
          writeMany(
            near,
            chunks.map((chunk) => ({ chunk, encoding: "utf8" as const })),
            resolve,
          );
      });
      far.resume();
      assert.not(await written);
      near.end();
      await once(far, "end");
      assert.ok(Buffer.concat(read).equals(whole), `${size}, ${chunks.length} chunks`);
      await close();
    }
  }
});

it("a write whose memory goes fails, and its end is not written", async () => {
  for (const size of [1_900_000, 2 * WRITE_PIECE_BYTES, 20 * WRITE_PIECE_BYTES]) {
    for (const head of [[], [Buffer.from("head")]]) {
      const { near, far, read, close } = await pair();
      // What the kernel takes at most stands in front.
      const filler = Buffer.alloc(12_000_000, "f");
      near.write(filler);
      const body = Buffer.from(new ArrayBuffer(size)).fill("x");
      const written = new Promise<Error | null | undefined>((resolve) => {
        const chunks = [...head, body];
        if (chunks.length === 1) writeOne(near, body, resolve);
        else
          writeMany(
            near,
            chunks.map((chunk) => ({ chunk, encoding: "utf8" as const })),
            resolve,
          );
      });
      transfer(body);
      far.resume();
      assert.is(((await written) as { code?: string } | undefined)?.code, "ERR_ZMTP_BODY_DETACHED");
      near.destroy();
      await once(far, "close");
      let octets = 0;
      for (const chunk of read) octets += chunk.length;
      if (size >= 2 * WRITE_PIECE_BYTES) assert.ok(octets < filler.length + size, `${size}: ${octets - filler.length}`);
      await close();
    }
  }
});

it("the end of a large write goes out as it was, also when the memory goes while it is on its way", () => {
  const { _write, _writev } = NetSocket.prototype;
  for (const head of [[], [Buffer.from("head")]]) {
    const body = Buffer.from(new ArrayBuffer(3 * WRITE_PIECE_BYTES)).fill("x");
    let end = "";
    let told: (Error & { code?: string }) | null | undefined;
    const socket = new NetSocket();
    // In place of the kernel, which takes all at once, and the last piece only after the memory has gone.
    NetSocket.prototype._write = (piece: Buffer, _encoding, done) => {
      if (piece.length === WRITE_TAIL_BYTES) {
        transfer(body);
        end = String(piece);
      }
      done();
    };
    NetSocket.prototype._writev = (_pieces, done) => done();
    try {
      const chunks = [...head, body].map((chunk) => ({ chunk, encoding: "utf8" as const }));
      const written = (error?: Error | null): void => {
        told = error;
      };
      if (chunks.length === 1) writeOne(socket, body, written);
      else writeMany(socket, chunks, written);
    } finally {
      Object.assign(NetSocket.prototype, { _write, _writev });
      socket.destroy();
    }
    assert.is(end, "x".repeat(WRITE_TAIL_BYTES));
    assert.is(told?.code, "ERR_ZMTP_BODY_DETACHED");
  }
});

it("a socket that is destroyed in the middle of a write calls back once", async () => {
  const { near, close } = await pair();
  let calls = 0;
  const done = new Promise<void>((resolve) => {
    writeOne(near, Buffer.alloc(30 * WRITE_PIECE_BYTES), () => {
      calls++;
      resolve();
    });
  });
  near.destroy();
  await done;
  await close();
  assert.is(calls, 1);
});

it.run();
