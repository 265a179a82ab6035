/**
 * Processor time of a receiver over tcp, by the two ways of reading: into memory of ours (`onread`), and by Node's `data` events.
 *
 *   node bench/micro/reading.mjs [--sizes 1000,65536,1048576] [--rounds 7] [--bytes 300000000]
 *
 * The receivers are processes of their own, and take turns. What is shown is the best round, for each 64 KiB and for each message.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { readFlags, readList } from "../lib/arguments.mjs";
import { sizeName, table } from "../lib/report.mjs";

const READ_BYTES = 65536;
const [, own, task] = process.argv;
if (task?.startsWith("{")) await receive(JSON.parse(task));
else await compare();

async function compare() {
  const { flags } = readFlags({ values: ["sizes", "rounds", "bytes"] });
  const sizes = readList(flags.sizes ?? "1000,65536,1048576").map(Number);
  const bytes = Number(flags.bytes ?? 300_000_000);
  const folder = mkdtempSync(join(tmpdir(), "zmtp-micro-"));
  const sources = join(folder, "reading.mjs");
  try {
    await build({
      stdin: {
        contents: `
          export { Decoder } from "./src/codec/decoder.ts";
          export { connectStream } from "./src/transport/connect.ts";
          export { parseEndpoint } from "./src/transport/endpoint.ts";
          export { direct } from "./src/transport/reading.ts";`,
        resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
      },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile: sources,
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    const rows = [["", "by data", "into our memory", "ratio"]];
    for (const size of sizes) {
      const { worker, port } = await startSender(size);
      const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < Number(flags.rounds ?? 7); round++) {
        for (const way of [0, 1]) {
          const given = JSON.stringify({ sources, port, isDirect: way === 1, bytes });
          best[way] = Math.min(best[way], Number(execFileSync(process.execPath, [own, given])) / bytes);
        }
      }
      await worker.terminate();
      for (const [name, octets] of [
        [`${sizeName(size)}, a message`, size],
        [`${sizeName(size)}, 64 KiB`, READ_BYTES],
      ]) {
        const [byData, into] = best.map((each) => `${(each * Number(octets)).toFixed(2)} µs`);
        rows.push([String(name), byData, into, (best[0] / best[1]).toFixed(2)]);
      }
    }
    console.log(table(rows));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Serves everybody endless messages of `size` octets, from a thread of its own. @param {number} size */
async function startSender(size) {
  const code = `
    const { createServer } = require("node:net");
    const { parentPort, workerData: size } = require("node:worker_threads");
    const header = Buffer.alloc(size > 255 ? 9 : 2);
    if (size > 255) { header[0] = 2; header.writeUInt32BE(size, 5); } else header[1] = size;
    const one = Buffer.concat([header, Buffer.alloc(size, "A")]);
    const block = Buffer.concat(Array(Math.max(1, Math.floor(${READ_BYTES * 4} / one.length))).fill(one));
    const server = createServer((socket) => {
      const more = () => { while (!socket.destroyed && socket.write(block)); };
      socket.on("drain", more).on("error", () => {});
      more();
    }).listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;
  const worker = new Worker(code, { eval: true, workerData: size });
  const [port] = await once(worker, "message");
  return { worker, port };
}

/** Prints its processor time for so many octets, in microseconds. @param {{ sources: string, port: number, isDirect: boolean, bytes: number }} task */
async function receive({ sources, port, isDirect, bytes }) {
  const { Decoder, connectStream, parseEndpoint, direct } = await import(pathToFileURL(sources).href);
  direct.connects = isDirect;
  const decoder = new Decoder({ onCommand: () => true }, -1);
  const warmUp = bytes / 4;
  let count = 0;
  /** @type {NodeJS.CpuUsage | undefined} */
  let before;
  decoder.inbox = { push: () => true };
  /** @param {number} more */
  const add = (more) => {
    count += more;
    if (before === undefined && count > warmUp) before = process.cpuUsage();
    if (count < bytes + warmUp) return;
    const { user, system } = process.cpuUsage(before);
    console.log(user + system);
    process.exit();
  };
  // Held, as whoever reads from a stream does.
  createServer().listen(0, "127.0.0.1");
  connectStream(
    parseEndpoint(`tcp://127.0.0.1:${port}`, "connect"),
    { ipv6: false, connectTimeout: 0, tcpKeepalive: -1, tcpKeepaliveIdle: -1, socksProxy: "" },
    {
      /** @param {any} stream */
      onConnect(stream) {
        stream.handler = {
          /** @param {Buffer} chunk @param {boolean} isBorrowed */
          onData(chunk, isBorrowed) {
            decoder.push(chunk, isBorrowed);
            add(chunk.length);
          },
          get target() {
            return decoder.target;
          },
          /** @param {number} length */
          onFilled(length) {
            decoder.filled(length);
            add(length);
          },
          onFlushed() {},
          onEnd() {},
        };
      },
      /** @param {Error} error */
      onFail(error) {
        throw error;
      },
    },
  );
}
