/**
 * The whole ring on this machine, four processes: master → hub 1 → hub 2 → hub 3 → master.
 *
 *   node bench/seeds/ring/ring.mjs [--impl zmtp] [laps=10] [flood … = 1000 10000 100000 1000000]
 */

import { readFlags } from "../../lib/arguments.mjs";
import { openRing } from "../../scenarios/seeds.mjs";

const { flags, rest } = readFlags({ values: ["impl"] });
const [laps = "10", ...floods] = rest;
const impl = flags.impl ?? "zmtp";
const sizes = floods.length > 0 ? floods : ["1000", "10000", "100000", "1000000"];
const ring = await openRing(impl, [laps, ...sizes], (line) => console.log(line));
try {
  await ring.done;
} finally {
  await ring.close();
}
