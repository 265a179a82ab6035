/**
 * `node bench <command>`:
 *
 *   run …              measures; see run.mjs for its arguments
 *   quick …            the short comparison, two minutes
 *   smoke              does everything run? Nothing is measured
 *   hostile …          attacks, and what they do to the attacked process; see hostile.mjs for its arguments
 *   serve [--port n]   the other machine's part of `run --host`
 *   two-machines …     `serve` and `run --host` in two network namespaces, joined by a plain or a slow cable
 *   report             tables and charts out of results/
 *   compare a b        what got faster or slower between two result files
 */

const COMMANDS = /** @type {const} */ ({
  run: "./run.mjs",
  quick: "./quick.mjs",
  smoke: "./run.mjs",
  hostile: "./hostile.mjs",
  serve: "./serve.mjs",
  "two-machines": "./two-machines.mjs",
  report: "./report.mjs",
  compare: "./compare.mjs",
});

const [command] = process.argv.splice(2, 1);
if (command === "smoke") process.argv.push("--smoke");
if (!(command in COMMANDS)) {
  console.error(`usage: node bench ${Object.keys(COMMANDS).join("|")} …`);
  process.exit(1);
}
await import(COMMANDS[/** @type {keyof typeof COMMANDS} */ (command)]);
