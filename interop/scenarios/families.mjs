/** The pattern pairs, and for each the shortest proof that messages go through. For scenarios that are the same for all. */
import { ensure, equal, heard, patience } from "../lib/world.mjs";

/** @typedef {import("../lib/world.mjs").World} World */
/** @typedef {import("../lib/world.mjs").Endpoint} Endpoint */
/** @typedef {import("../lib/world.mjs").Options} Options */

const TRY_MS = 40;

/**
 * @typedef {object} Pair
 * @property {string} name
 * @property {[string, string]} roles
 * @property {{ a?: Options, b?: Options }} [options]
 * @property {(world: World, tag: string) => Promise<void>} prove may be called again, with another tag
 */

/** @type {Pair["prove"]} */
async function oneWay({ a, b }, tag) {
  await a.send([tag, ""]);
  await b.expect([[tag, ""]]);
}

/** @type {Pair["prove"]} */
async function bothWays({ a, b }, tag) {
  await a.send(tag);
  await b.expect([tag]);
  await b.send([tag, "back"]);
  await a.expect([[tag, "back"]]);
}

/** Subscribes to the tag as the type does it, and sends until it comes. @type {Pair["prove"]} */
async function subscribed({ a: publisher, b: subscriber }, tag) {
  if (subscriber.type === "XSUB") await subscriber.send(`\u0001${tag}`);
  else await subscriber.subscribe(tag);
  const end = performance.now() + patience();
  for (;;) {
    ensure(performance.now() < end, `the topic ${tag} is not known to ${publisher.agent.label}`);
    await publisher.send(["other", "x"]);
    await publisher.send([tag, "x"]);
    const got = await subscriber.receive(1, TRY_MS);
    if (got.length > 0) {
      equal(got, [[heard(tag), heard("x")]], "received");
      break;
    }
  }
  while ((await subscriber.receive(100, TRY_MS)).length > 0);
}

/** @type {Pair["prove"]} */
async function routed({ a, b }, tag) {
  await a.send(tag);
  await b.expect([["a", tag]]);
  await b.send(["a", tag, "back"]);
  await a.expect([[tag, "back"]]);
}

/** @type {Pair[]} */
export const PAIRS = [
  { name: "req-rep", roles: ["REQ", "REP"], prove: bothWays },
  {
    name: "req-router",
    roles: ["REQ", "ROUTER"],
    options: { a: { routingId: "a" } },
    async prove({ a, b }, tag) {
      await a.send(tag);
      await b.expect([["a", "", tag]]);
      await b.send(["a", "", tag, "back"]);
      await a.expect([[tag, "back"]]);
    },
  },
  {
    name: "dealer-rep",
    roles: ["DEALER", "REP"],
    async prove({ a, b }, tag) {
      await a.send(["id", "", tag]);
      await b.expect([tag]);
      await b.send("back");
      await a.expect([["id", "", "back"]]);
    },
  },
  { name: "dealer-router", roles: ["DEALER", "ROUTER"], options: { a: { routingId: "a" } }, prove: routed },
  { name: "dealer-dealer", roles: ["DEALER", "DEALER"], prove: bothWays },
  {
    name: "router-router",
    roles: ["ROUTER", "ROUTER"],
    options: { a: { routingId: "a" }, b: { routingId: "b" } },
    async prove({ a, b }, tag) {
      await a.send(["b", tag]);
      await b.expect([["a", tag]]);
      await b.send(["a", tag, "back"]);
      await a.expect([["b", tag, "back"]]);
    },
  },
  { name: "pub-sub", roles: ["PUB", "SUB"], prove: subscribed },
  { name: "xpub-sub", roles: ["XPUB", "SUB"], prove: subscribed },
  { name: "pub-xsub", roles: ["PUB", "XSUB"], prove: subscribed },
  { name: "xpub-xsub", roles: ["XPUB", "XSUB"], prove: subscribed },
  { name: "push-pull", roles: ["PUSH", "PULL"], prove: oneWay },
  { name: "pair", roles: ["PAIR", "PAIR"], prove: bothWays },
];
