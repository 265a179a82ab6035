/** What can be sent, and how it arrives: over tcp and inproc, small and large. */
import { createHash } from "node:crypto";
import { outcome, print, zmq } from "./lib.mjs";

for (const address of ["tcp://127.0.0.1:*", "inproc://messages"]) {
  const dealer = new zmq.Dealer();
  const other = new zmq.Dealer();
  await dealer.bind(address);
  other.connect(/** @type {string} */ (dealer.lastEndpoint));
  const messages = [
    "text",
    "ünïcödé \u{1F600} \uD800",
    "",
    null,
    Buffer.from("buffer"),
    new Uint8Array([1, 2, 3]),
    new Uint16Array([1, 0x0203]),
    new Uint8Array([9, 8, 7, 6]).subarray(1, 3),
    new Uint8Array([5, 6]).buffer,
    42,
    -1.5,
    12345678901234567890n,
    true,
    { toString: () => "an object" },
    new Date(0).toISOString(),
    ["several", null, Buffer.from("frames"), 7, undefined, ["nested", "array"]],
    ["", "", ""],
  ];
  for (const message of messages) {
    await other.send(/** @type {any} */ (message));
    print((await dealer.receive()).map((frame) => frame.toString("hex")));
  }
  await other.send([]);
  for (const size of [127, 128, 129, 255, 256, 8191, 8192, 8193, 65_536, 1_000_000, 5_000_000]) {
    const body = Buffer.alloc(size, `${size}/`);
    await other.send([body, "behind"]);
    const [frame, behind] = await dealer.receive();
    print(size, frame.length, createHash("sha1").update(frame).digest("hex"), String(behind), Buffer.isBuffer(frame));
  }
  print("symbol", (await outcome(() => other.send(/** @type {any} */ (Symbol("x"))))).split(" ").slice(0, 2));
  print("undefined", await outcome(() => other.send(/** @type {any} */ (undefined))));
  let sum = 0;
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 1000; i++) await other.send(["many", String(1000 * round + i)]);
    for (let i = 0; i < 1000; i++) sum += Number((await dealer.receive())[1]);
  }
  print("sum", sum);
  dealer.close();
  other.close();
}
