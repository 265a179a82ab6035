/**
 * One attacking process: makes its part of an attack, holds the connections it has, and leaves when it is told to.
 * attack=frames port=5555 number=0 processes=1 [seconds=4]
 */

import { setPriority } from "node:os";
import { readPairs } from "../lib/arguments.mjs";
import { obey, tell } from "../lib/program.mjs";
import { Attacker } from "./attacker.mjs";
import { ATTACKS, MOST_OCTETS, MOST_SECONDS } from "./attacks.mjs";

/** An attacker has a machine of its own; on this one it does not take the victim's. */
setPriority(10);

const { attack: id, port, number, processes, seconds } = readPairs();
const attack = ATTACKS.find((one) => one.id === id);
if (attack === undefined) throw new Error(`no attack "${id}"`);
const attacker = new Attacker({
  port: Number(port),
  number: Number(number),
  octets: (attack.octets ?? MOST_OCTETS) / Number(processes),
  seconds: Math.min(attack.seconds ?? MOST_SECONDS, Number(seconds ?? Infinity)),
});
obey({
  async run() {
    await attack.run(attacker);
    return attacker.account;
  },
  look: () => attacker.account,
  leave: () => attacker.leave(),
});
tell("ready");
setInterval(() => tell("seen", attacker.account), 50);
