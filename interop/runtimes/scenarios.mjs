/** The scenarios against libzmq, with zmtp in another runtime. */
import { spawn } from "node:child_process";
import path from "node:path";
import { ROOT } from "./runtimes.mjs";

/** What is run where all of them would take too long: every kind of traffic and CURVE. */
const SMOKE = [
  "req-rep/hello world",
  "pub-sub/prefix filter",
  "pub-sub/20000 messages in order",
  "push-pull/frame lengths",
  "push-pull/20000 messages in order",
  "reconnect/push-pull",
  "dealer-router/three dealers by name",
  "curve/the receiver is the server",
];

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @param {string[]} args @param {string[]} command @returns {Promise<string>} */
function runTable(args, command) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(ROOT, "interop/run.mjs"), ...args], {
      env: { ...process.env, INTEROP_RUNTIME: command.join(" ") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}

/**
 * @param {string} name @param {string[]} command @param {string} zmtp folder of the built package
 * @param {"all" | "smoke"} extent @param {string} jobs cases at a time @returns {Promise<Counts>}
 */
export async function interop(name, command, zmtp, extent, jobs) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const scenario of extent === "all" ? [""] : SMOKE) {
    const chosen = ["--peer", "libzmq-c", "--zmtp", zmtp, "--scenario", scenario, "--jobs", jobs];
    const output = await runTable(chosen, command);
    const found = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/m.exec(output);
    const [passed, failed, skipped] = found ? found.slice(1).map(Number) : [0, 1, 0];
    if (failed > 0) console.log(`FAILED ${name}: scenarios ${scenario}\n${output.replace(/^/gm, "    ")}`);
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped || 0;
  }
  return sum;
}
