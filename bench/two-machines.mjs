/**
 * Two machines on one: `serve` in one network namespace, `run --host` in another, joined by a cable.
 *
 *   node bench two-machines [--cable plain|pi2] [arguments of run]
 *
 * `pi2` is shaped like the network of a Raspberry Pi 2: 100 Mbit/s, and a round trip of 0.3 ms. Needs root and iproute2.
 */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { FAR_ADDRESS, namespacesMissing, openNamespaces } from "./lib/namespaces.mjs";
import { Command, whenRunnerEnds } from "./lib/process.mjs";
import { RUNNER_VARIABLE } from "./lib/seed.mjs";

const CABLES = { plain: undefined, pi2: { megabits: 100, roundTripMs: 0.3 } };

const reason = namespacesMissing();
if (reason !== undefined) {
  console.error(`not possible here: ${reason}`);
  process.exit(1);
}
const at = process.argv.indexOf("--cable");
const [, name = "plain"] = at < 0 ? [] : process.argv.splice(at, 2);
if (!(name in CABLES)) throw new Error(`no cable "${name}": ${Object.keys(CABLES).join(", ")}`);
const cable = CABLES[/** @type {keyof typeof CABLES} */ (name)];
const { near, far, shapedBy, close } = await openNamespaces(cable);
const describe = cable
  ? `${cable.megabits} Mbit/s, ${cable.roundTripMs} ms a round trip, by ${shapedBy}`
  : "not shaped";
console.log(`two network namespaces, one machine; the cable: ${describe}\n`);

const script = (/** @type {string} */ file) => fileURLToPath(new URL(file, import.meta.url));
const served = new Promise((resolve, reject) => {
  const server = new Command("serve", process.execPath, [script("serve.mjs")], {
    wrap: far,
    onLine: (line) => line.startsWith("serving") && resolve(undefined),
  });
  server.done.catch(reject);
});
await served;
const args = [script("run.mjs"), "--label", `network-${name}`, ...process.argv.slice(2), "--host", FAR_ADDRESS];
const runner = spawn(...near(process.execPath, args), {
  stdio: ["pipe", "inherit", "inherit"],
  env: { ...process.env, [RUNNER_VARIABLE]: "1" },
});
whenRunnerEnds(() => runner.kill("SIGTERM"));
process.exitCode = await new Promise((resolve) => runner.on("close", (code) => resolve(code ?? 1)));
await close();
process.exit();
