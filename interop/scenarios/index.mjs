/** The whole table, in the order of the report. */
import { frames } from "./frames.mjs";
import { heartbeat } from "./heartbeat.mjs";
import { others } from "./others.mjs";
import { pubSub } from "./pub-sub.mjs";
import { pushPull } from "./push-pull.mjs";
import { reconnect } from "./reconnect.mjs";
import { requestReply } from "./request-reply.mjs";
import { routing } from "./routing.mjs";
import { security } from "./security.mjs";

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */

const FAMILY_ORDER = ["req-rep", "pub-sub", "push-pull", "reconnect", "heartbeat"];

/** @param {Scenario} scenario */
function familyRank({ name }) {
  const rank = FAMILY_ORDER.indexOf(name.split("/")[0]);
  return rank < 0 ? FAMILY_ORDER.length : rank;
}

/** @type {Scenario[]} */
export const SCENARIOS = [
  ...requestReply,
  ...pubSub,
  ...pushPull,
  ...reconnect,
  ...heartbeat,
  ...routing,
  ...others,
  ...security,
  ...frames,
].sort((left, right) => familyRank(left) - familyRank(right));
