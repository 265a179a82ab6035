/** Abstract names of ipc ("ipc://@name"): each end binds, the other connects and is heard. */
import { Agent } from "../lib/agent.mjs";
import { prepare } from "../lib/peers.mjs";
import { ROOT } from "./runtimes.mjs";

const ANSWER_MS = 4000;

/** @param {Agent} binding @param {Agent} connecting @param {string} address */
async function meet(binding, connecting, address) {
  await binding.call("open", ["bound", "PULL"]);
  await connecting.call("open", ["connected", "PUSH"]);
  await binding.call("bind", ["bound", address]);
  await connecting.call("connect", ["connected", address]);
  await connecting.call("send", ["connected", ANSWER_MS, "x616263"], ANSWER_MS);
  const [count, message] = await binding.call("receive", ["bound", 1, ANSWER_MS], ANSWER_MS);
  return count === "1" && message === "x616263";
}

/**
 * @param {string[]} command what runs zmtp @param {string} folder of the built package
 * @returns {Promise<string>} "meets libzmq", or the code of its refusal
 */
export async function abstractNames(command, folder) {
  const libzmq = new Agent("libzmq-c", prepare("libzmq-c", { build: false }));
  const zmtp = new Agent("zmtp", [...command, `${ROOT}interop/agents/node.mjs`, "zmtp", folder]);
  try {
    const name = `ipc://@zmtp-${process.pid}`;
    const first = await meet(libzmq, zmtp, `${name}-a`);
    await Promise.all([libzmq.call("reset"), zmtp.call("reset")]);
    const second = await meet(zmtp, libzmq, `${name}-b`);
    return first && second ? "meets libzmq" : "does not meet libzmq";
  } catch (error) {
    return /** @type {any} */ (error).code ?? String(error);
  } finally {
    await Promise.all([libzmq.quit(), zmtp.quit()]);
  }
}
