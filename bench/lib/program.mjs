/**
 * The child's side of the line protocol in process.mjs: reads commands, answers with JSON lines.
 */

/**
 * Writes one event for the runner.
 *
 * @param {string} event
 * @param {Record<string, unknown>} [fields]
 */
export function tell(event, fields) {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
}

/**
 * Runs each command that arrives, one after the other, and tells `done` with what it returned (nothing when it
 * returned undefined). Ends the process when the runner closes the input.
 *
 * @param {Record<string, (argument: string) => unknown>} commands
 */
export function obey(commands) {
  let rest = "";
  let turn = Promise.resolve();
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) {
      const [name, argument = ""] = line.split(" ", 2);
      turn = turn.then(() => obeyOne(commands, name, argument));
    }
  });
  process.stdin.on("end", () => process.exit());
}

/**
 * A command that must act while another one is running, such as the end of the subscription probes.
 *
 * @param {string} line
 * @returns {{ arrived: boolean }}
 */
export function watchFor(line) {
  const watch = { arrived: false };
  process.stdin.on("data", (text) => {
    if (String(text).split("\n").includes(line)) watch.arrived = true;
  });
  return watch;
}

/** What this process has used until now, for `usage`. */
export function usageNow() {
  return { cpu: process.cpuUsage(), faults: process.resourceUsage().minorPageFault };
}

/**
 * Processor time and minor page faults of this process since `start`, and its peak memory. A fault is a page that the kernel had to
 * map: new memory has one for each 4 KiB, memory that is used again has none.
 *
 * @param {ReturnType<typeof usageNow>} start
 */
export function usage(start) {
  const { user, system } = process.cpuUsage(start.cpu);
  const { maxRSS, minorPageFault } = process.resourceUsage();
  return { cpuMs: Math.round((user + system) / 1000), faults: minorPageFault - start.faults, peakKb: maxRSS };
}

/**
 * @param {Record<string, (argument: string) => unknown>} commands
 * @param {string} name
 * @param {string} argument
 */
async function obeyOne(commands, name, argument) {
  const command = commands[name];
  if (command === undefined) return;
  try {
    const result = await command(argument);
    if (result !== undefined) tell("done", /** @type {Record<string, unknown>} */ (result));
  } catch (error) {
    tell("error", { message: error instanceof Error ? error.stack : String(error) });
  }
}
