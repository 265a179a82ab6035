/**
 * A sleep says "by now it has happened" and is wrong on a busy machine: tests wait for what happens. Here is where one
 * may.
 */
import { readdirSync, readFileSync } from "node:fs";
import { assert, suite } from "../helpers/test.ts";

const it = suite("scripts/sleeps");

/** Sleeps that are what a test is about, in how many lines of a file, and what they stand for. */
const ALLOWED: Record<string, [number, string]> = {
  "helpers/wait.ts": [4, "what everything else waits with"],
  "helpers/test.ts": [1, "the limit of a test"],
  "helpers/clock.ts": [1, "the time that tests move"],
  "lifecycle/bound.child.ts": [3, "peers that talk at a pace"],
  "lifecycle/restart.test.ts": [1, "a publisher that talks at a pace"],
  "session/look-ups.child.ts": [1, "a resolver that takes its time"],
  "socket/proxy.test.ts": [1, "nothing may run while time passes"],
  "scripts/layers.test.ts": [1, "sources that are only read"],
};

const SLEEP = /\b(sleep|setTimeout)\(|timers\/promises/;
const DEFINITION = /\bfunction (sleep|setTimeout)\(/;

it("no test waits for a time, but for those whose subject that is", () => {
  const found: Record<string, number> = {};
  for (const name of readdirSync("spec", { recursive: true, encoding: "utf8" })) {
    const file = name.replaceAll("\\", "/");
    if (!file.endsWith(".ts") || file === "scripts/sleeps.test.ts") continue;
    const lines = readFileSync(`spec/${file}`, "utf8").split("\n");
    const count = lines.filter((line) => SLEEP.test(line) && !DEFINITION.test(line)).length;
    if (count > 0) found[file] = count;
  }
  assert.equal(found, Object.fromEntries(Object.entries(ALLOWED).map(([file, [count]]) => [file, count])));
});

it.run();
