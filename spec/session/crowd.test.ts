/** Many peers at once, to a process that has something else to do. */
import { readFileSync } from "node:fs";
import { Push } from "zmtp";
import { Child } from "../helpers/child.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("session/crowd");

/** How many the kernel lets wait, where it says so. */
function longestBacklog(): number {
  try {
    return Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
  } catch {
    return 0;
  }
}

const CROWD = 300;
for (const endpoint of ["tcp://127.0.0.1:*", "ipc://*"]) {
  const title = `the kernel lets a crowd in while the process is busy, and all that it sends arrives (${endpoint})`;
  if (longestBacklog() < CROWD) {
    it.skip(title, "the kernel lets fewer wait");
    continue;
  }
  it(title, async () => {
    const child = new Child(new URL("./sleeper.child.mjs", import.meta.url), endpoint);
    const address = await child.line();
    const pushes = Array.from({ length: CROWD }, () => new Push({ linger: 10_000 }));
    let connected = 0;
    for (const push of pushes) push.events.on("connect", () => connected++);
    for (const push of pushes) push.connect(address);
    // None of them would, but for the kernel.
    await eventually(() => connected === CROWD);
    for (const push of pushes) {
      await push.send("x");
      push.close();
    }
    child.say("wake up");
    for (let i = 1; i <= CROWD; i++) assert.is(await child.line(), String(i));
    await child.kill();
  });
}

it.run();
