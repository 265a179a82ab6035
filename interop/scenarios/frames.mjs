/**
 * What every pattern must carry unchanged: frames of every length around the limits of the framing and of buffers,
 * empty frames, multipart messages. The same messages for each family.
 */

/** @typedef {import("../lib/table.mjs").Scenario} Scenario */
/** @typedef {import("../lib/world.mjs").World} World */
/** @typedef {import("../lib/world.mjs").FrameLike} FrameLike */

const KIB = 1024;
const SIZES = [0, 1, 255, 256, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, KIB * KIB, 10 * KIB * KIB];

/** 10 MiB take their time where cores are shared: pattern, checksum, and the way between. */
const LARGE_MS = 8000;

/** 255 is the last short frame, 8192 libzmq's buffer, 65536 what Node reads at once. */
const bodies = SIZES.map((size, index) => ({ size, seed: index }));

/** @type {FrameLike[][]} */
const EMPTIES = [[""], ["", ""], ["", "", ""], ["", "a"], ["a", ""], ["a", "", "b"], [""]];

/** @type {FrameLike[][]} */
const MULTIPARTS = [
  ["one", "two"],
  Array.from({ length: 40 }, (_, index) => `frame ${index}`),
  ["head", { size: 300, seed: 1 }, "", { size: 70_000, seed: 2 }, "tail"],
  [
    { size: 200_000, seed: 3 },
    { size: 200_000, seed: 4 },
  ],
  ["single"],
];

/** Small and large in turn, so that what is copied and what is referenced must stay in order. @type {FrameLike[][]} */
const MIXED = Array.from({ length: 60 }, (_, index) => [
  index % 3 === 0 ? { size: 40_000 + index, seed: index } : `small ${index}`,
]);

/**
 * @typedef {object} Family
 * @property {string} name
 * @property {[string, string]} roles
 * @property {(world: World) => Promise<void>} [ready] after the link is up
 * @property {(world: World, messages: FrameLike[][]) => Promise<void>} carry
 */

/** @type {Family["carry"]} */
async function oneWay({ a, b }, messages) {
  for (const message of messages) await a.send(message);
  await b.expect(messages, LARGE_MS);
}

/** @type {Family["carry"]} */
async function bothWays({ a, b }, messages) {
  await oneWay(/** @type {World} */ ({ a, b }), messages);
  await oneWay(/** @type {World} */ ({ a: b, b: a }), messages);
}

/** @type {Family["carry"]} */
async function roundTrips({ a, b }, messages) {
  for (const message of messages) {
    await a.send(message);
    await b.expect([message], LARGE_MS);
    await b.send(message);
    await a.expect([message], LARGE_MS);
  }
}

/** @type {Family["carry"]} */
async function routed({ a: dealer, b: router }, messages) {
  for (const message of messages) {
    await dealer.send(message);
    await router.expect([["dealer", ...message]], LARGE_MS);
    await router.send(["dealer", ...message]);
    await dealer.expect([message], LARGE_MS);
  }
}

/** @type {Family[]} */
const FAMILIES = [
  { name: "req-rep", roles: ["REQ", "REP"], carry: roundTrips },
  { name: "push-pull", roles: ["PUSH", "PULL"], carry: oneWay },
  {
    name: "pub-sub",
    roles: ["PUB", "SUB"],
    async ready(world) {
      await world.b.subscribe("");
      await world.synchronise(world.a, world.b);
    },
    carry: oneWay,
  },
  { name: "pair", roles: ["PAIR", "PAIR"], carry: bothWays },
  { name: "dealer-dealer", roles: ["DEALER", "DEALER"], carry: bothWays },
  { name: "dealer-router", roles: ["DEALER", "ROUTER"], carry: routed },
];

/** @param {Family} family @param {string} what @param {FrameLike[][]} messages @returns {Scenario} */
function scenario(family, what, messages) {
  return {
    name: `${family.name}/${what}`,
    roles: family.roles,
    ms: 30_000,
    options: family.name === "dealer-router" ? { a: { routingId: "dealer" } } : {},
    async run(world) {
      await world.link();
      await family.ready?.(world);
      await family.carry(world, messages);
    },
  };
}

export const frames = FAMILIES.flatMap((family) => [
  scenario(
    family,
    "frame lengths",
    bodies.map((body) => [body]),
  ),
  scenario(family, "empty frames", EMPTIES),
  scenario(family, "multipart", MULTIPARTS),
  scenario(family, "small and large", MIXED),
]);
