/** The wrapper over uvu: what would otherwise end a test run in silence is a failure. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { assert, suite } from "./test.ts";

const it = suite("helpers/test");

it("counts a test that never settles, names a failed hook and a forgotten suite", () => {
  const file = fileURLToPath(new URL("./faulty.child.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  assert.is(status, 1);
  assert.match(stdout, /"never settles"\s+not settled after \d+ ms/);
  assert.match(stdout, /"throws"/);
  assert.match(stdout, "skipped: faulty: is left out (nothing here to test it with)");
  assert.match(stdout, /Total: +4\n +Passed: +1\n +Skipped: +1\n/);
  assert.match(stderr, 'a hook of suite "hooked" failed: Error: no peer');
  assert.match(stderr, 'suite "forgotten" has tests, but run() was not called');
});

it.run();
