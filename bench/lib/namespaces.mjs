/**
 * Two machines on one: two network namespaces joined by a virtual cable, plain or slowed down. They have no name and live as
 * long as the processes that hold them open, which end with the runner: however it ends, nothing is left of them.
 *
 * A slow cable is made with netem, and where the kernel has none by c/wire.c in a third namespace between the two.
 */

import { execFileSync } from "node:child_process";
import { compileAll, programPath } from "./compile.mjs";
import { Child } from "./process.mjs";

export const NEAR_ADDRESS = "10.77.0.1";
export const FAR_ADDRESS = "10.77.0.2";

/**
 * @typedef {object} Cable
 * @property {number} megabits A second.
 * @property {number} roundTripMs
 *
 * @typedef {object} Namespaces
 * @property {import("./process.mjs").Wrapper} near Puts a process into the first one.
 * @property {import("./process.mjs").Wrapper} far Puts a process into the second one.
 * @property {string} shapedBy
 * @property {() => Promise<void>} close
 */

/** Why that cannot be done here, or undefined. */
export function namespacesMissing() {
  try {
    execFileSync("unshare", ["--net", "ip", "link"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return `network namespaces: ${
      String(/** @type {any} */ (error).stderr || error)
        .trim()
        .split("\n", 1)[0]
    }`;
  }
}

/**
 * @param {Cable} [cable] Plain when it is not given.
 * @returns {Promise<Namespaces>}
 */
export async function openNamespaces(cable) {
  /** @type {Child[]} */
  const held = [];
  const close = async () => {
    await Promise.all(held.map((child) => child.stop()));
  };
  const hold = async () => {
    const script = 'echo "{\\"event\\":\\"ready\\",\\"pid\\":$$}"; exec cat';
    const child = new Child("namespace", "unshare", ["--net", "sh", "-c", script]);
    held.push(child);
    const { pid } = await child.next("ready");
    return Number(pid);
  };
  try {
    const near = await hold();
    const far = await hold();
    const shapedBy = await connect(near, far, cable, hold, held);
    for (const [pid, name, address] of /** @type {const} */ ([
      [near, "near", NEAR_ADDRESS],
      [far, "far", FAR_ADDRESS],
    ])) {
      inside(pid, "ip", "link", "set", "lo", "up");
      inside(pid, "ip", "address", "add", `${address}/24`, "dev", name);
      inside(pid, "ip", "link", "set", name, "up");
    }
    return { near: enter(near), far: enter(far), shapedBy, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {number} near
 * @param {number} far
 * @param {Cable | undefined} cable
 * @param {() => Promise<number>} hold
 * @param {Child[]} held
 */
async function connect(near, far, cable, hold, held) {
  if (cable === undefined || netem(near, "lo", cable)) {
    inside(near, "ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", String(far));
    if (cable === undefined) return "nothing";
    netem(near, "near", cable);
    netem(far, "far", cable);
    return "netem";
  }
  const reason = await compileAll();
  if (reason !== undefined) throw new Error(`neither netem nor a compiler: ${reason}`);
  const middle = await hold();
  inside(middle, "ip", "link", "add", "wire0", "type", "veth", "peer", "name", "near", "netns", String(near));
  inside(middle, "ip", "link", "add", "wire1", "type", "veth", "peer", "name", "far", "netns", String(far));
  inside(middle, "ip", "link", "set", "wire0", "up");
  inside(middle, "ip", "link", "set", "wire1", "up");
  // No frame longer than a real one.
  inside(near, "ip", "link", "set", "near", "gso_max_size", "1514", "gso_max_segs", "1");
  inside(far, "ip", "link", "set", "far", "gso_max_size", "1514", "gso_max_segs", "1");
  const args = ["wire0", "wire1", String(cable.megabits * 1e6), String(Math.round(cable.roundTripMs * 500))];
  const wire = new Child("wire", programPath("wire"), args, { wrap: enter(middle) });
  held.push(wire);
  await wire.next("ready");
  return "c/wire.c";
}

/**
 * Whether the kernel has netem; sets it when it has.
 *
 * @param {number} pid
 * @param {string} device
 * @param {Cable} cable
 */
function netem(pid, device, { megabits, roundTripMs }) {
  try {
    const delay = `${Math.round(roundTripMs * 500)}us`;
    inside(pid, "tc", "qdisc", "replace", "dev", device, "root", "netem", "delay", delay, "rate", `${megabits}mbit`);
    if (device === "lo") inside(pid, "tc", "qdisc", "del", "dev", "lo", "root");
    return true;
  } catch {
    return false;
  }
}

/** @param {number} pid @returns {import("./process.mjs").Wrapper} */
function enter(pid) {
  return (command, args) => ["nsenter", [`--net=/proc/${pid}/ns/net`, command, ...args]];
}

/** @param {number} pid @param {string[]} command */
function inside(pid, ...command) {
  execFileSync("nsenter", [`--net=/proc/${pid}/ns/net`, ...command], { stdio: "pipe" });
}
