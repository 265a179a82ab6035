/**
 * Page faults, processor time and resident memory of a process that receives large bodies.
 *
 *   node bench/micro/page-faults.mjs [--sizes 262144,1048576,16777216] [--bytes 300000000] [--impl zmtp,other,native] [--curve 1]
 *
 * The first half of the messages is the warm-up. `--impl other` with ZMTP_OTHER=/path/to/another/build compares two builds.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { readFlags, readList } from "../lib/arguments.mjs";
import { load } from "../lib/implementation.mjs";
import { usage, usageNow } from "../lib/program.mjs";
import { sizeName, table } from "../lib/report.mjs";
import { securityOptions } from "../lib/security.mjs";

/** At most so many messages are queued at either end. */
const MARK = 4;

const [, , task] = process.argv;
if (task?.startsWith("{")) await work(JSON.parse(task));
else await compare();

/** @param {{ impl: string, size: number, count: number, curve: boolean, address?: string }} task */
async function work({ impl, size, count, curve, address }) {
  const { zmq } = load(impl);
  const secured = curve ? { curve: "1" } : {};
  if (address !== undefined) {
    const push = new zmq.Push({ sendHighWaterMark: MARK, ...securityOptions(secured, "client") });
    push.connect(address);
    const body = Buffer.alloc(size, "A");
    for (let sent = 0; sent < 2 * count; sent++) await push.send(body);
    await once(process, "disconnect");
    process.exit();
  }
  const pull = new zmq.Pull({ receiveHighWaterMark: MARK, ...securityOptions(secured, "server") });
  await pull.bind("tcp://127.0.0.1:*");
  process.send?.(pull.lastEndpoint);
  for (let left = count; left > 0; left--) await pull.receive();
  const start = usageNow();
  for (let left = count; left > 0; left--) await pull.receive();
  process.send?.({ ...usage(start), rss: process.memoryUsage.rss() });
  process.disconnect();
}

async function compare() {
  const { flags } = readFlags({ values: ["sizes", "bytes", "impl", "curve"] });
  const rows = [["receiver", "of", "faults a message", "CPU µs a message", "resident MiB"]];
  for (const size of (readList(flags.sizes) ?? ["262144", "1048576", "16777216"]).map(Number)) {
    for (const impl of readList(flags.impl) ?? ["zmtp", "native"]) {
      const count = Math.max(8, Math.round(Number(flags.bytes ?? 300_000_000) / size));
      const task = { impl, size, count, curve: flags.curve !== undefined };
      const receiver = start(task);
      const [address] = await once(receiver, "message");
      const sender = start({ ...task, address });
      const [used] = await once(receiver, "message");
      sender.disconnect();
      await Promise.all([once(sender, "exit"), once(receiver, "exit")]);
      const figures = [used.faults / count, (used.cpuMs * 1000) / count, used.rss / 2 ** 20];
      rows.push([impl, sizeName(size), ...figures.map((figure) => figure.toFixed(0))]);
    }
  }
  console.log(table(rows));
}

/** @param {object} task */
function start(task) {
  return fork(fileURLToPath(import.meta.url), [JSON.stringify(task)]);
}
