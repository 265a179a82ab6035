/**
 * 5,000 sends in one turn, five times the high-water mark, to a subscriber that reads: none may be lost, in any
 * transport.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Context, Publisher, Subscriber } from "zmtp";
import { Child } from "../helpers/child.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turn } from "../helpers/wait.ts";

const it = suite("session/burst");
const program = new URL("./subscriber.child.mjs", import.meta.url);
const folder = mkdtempSync(path.join(tmpdir(), "zmtp-"));
const COUNT = 5000;

it.after(() => rmSync(folder, { recursive: true }));

for (const endpoint of ["tcp://127.0.0.1:*", `ipc://${folder}/burst`, "inproc://burst"]) {
  for (const size of [0, 100]) {
    const title = `${endpoint.split(":")[0]}, ${size} octets`;

    it(`${title}: in this process`, async () => {
      const context = new Context();
      const pub = new Publisher({ context, linger: 0 });
      const subs = [new Subscriber({ context }), new Subscriber({ context }), new Subscriber({ context })];
      await pub.bind(endpoint);
      for (const sub of subs) {
        sub.subscribe("a");
        sub.connect(pub.lastEndpoint as string);
      }
      subs[2].subscribe("b");
      await eventually(async () => {
        await pub.send("a ready");
        await turn();
        return subs.every((sub) => sub.readable);
      });
      for (let burst = 0; burst < 2; burst++) {
        const reading = subs.map(async (sub) => {
          for (let i = 0; i < COUNT; ) {
            const [topic, number] = await sub.receive();
            if (number === undefined) continue;
            assert.is(String(topic), "a");
            assert.is(Number(String(number).trim()), i++);
          }
        });
        for (let i = 0; i < COUNT; i++) void pub.send(["a", `${i}`.padEnd(size)]);
        await Promise.all(reading);
      }
      pub.close();
      for (const sub of subs) sub.close();
    });

    if (endpoint.startsWith("inproc")) continue;

    it(`${title}: in another process`, async () => {
      const pub = new Publisher({ linger: 0 });
      await pub.bind(endpoint);
      const child = new Child(program, pub.lastEndpoint as string, `${COUNT}`);
      await eventually(() => pub.topicsCount > 0);
      for (let burst = 0; burst < 2; burst++) {
        for (let i = 0; i < COUNT; i++) void pub.send(["a", `${i}`.padEnd(size)]);
        assert.is(await child.line(), `all ${COUNT}`, child.stderr);
      }
      await child.kill();
      pub.close();
    });
  }
}

it.run();
