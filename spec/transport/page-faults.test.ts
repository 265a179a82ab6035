/** Large bodies are received into memory that is used again: hardly a page of them is mapped anew. */
import { Pull, Push } from "zmtp";
import { IS_NODE } from "../../src/base/runtime.ts";
import { Sockets } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("transport/page-faults");
const sockets = new Sockets(it);

const title = "a stream of large bodies maps few pages anew";

/** A body of 1 MiB has 256 pages; without care 60 to 260 of them are faults, with it 1 to 10. */
const SIZES: [octets: number, faults: number][] = [
  [262_144, 24],
  [1_048_576, 32],
];

interface Report {
  header: { glibcVersionRuntime?: string };
}

const isGlibc =
  IS_NODE &&
  process.platform === "linux" &&
  !!(process.report.getReport() as unknown as Report).header.glibcVersionRuntime;

if (isGlibc) {
  for (const [octets, limit] of SIZES) {
    it(
      `${title}, ${octets} octets`,
      async () => {
        const push = sockets.own(new Push({ sendHighWaterMark: 4 }));
        const pull = sockets.own(new Pull({ receiveHighWaterMark: 4 }));
        await sockets.join(pull, push, "tcp");
        const body = Buffer.alloc(octets, "x");
        const stream = async (count: number): Promise<number> => {
          const before = process.resourceUsage().minorPageFault;
          for (let i = 0; i < count; i++) await Promise.all([push.send(body), pull.receive()]);
          return (process.resourceUsage().minorPageFault - before) / count;
        };
        await stream(200);
        const faults = await stream(400);
        assert.ok(faults < limit, `${faults} faults a message`);
      },
      { timeout: 60_000 },
    );
  }
} else {
  it.skip(title, "only glibc, with Node's allocator, gives memory back after each body");
}

it.run();
