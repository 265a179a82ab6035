/**
 * Where the RFCs, libzmq and zmtp part ways: what each does is pinned in words, and the run says so when one of them changes
 * its mind. Scripted peers again; these run for libzmq as well as for the implementation under test.
 */
import {
  COMMAND,
  command,
  frame,
  greeting,
  LONG,
  MORE,
  octets,
  property,
  RawPeer,
  ready,
  TYPE_OCTETS,
} from "../lib/raw-peer.mjs";
import { pause } from "../lib/world.mjs";

/** @typedef {import("../lib/raw-world.mjs").RawScenario} RawScenario */
/** @typedef {import("../lib/raw-world.mjs").RawWorld} RawWorld */
/** @typedef {import("../lib/raw-world.mjs").Deviation} Deviation */

const VERDICT_MS = 600;
const NEW = /** @type {const} */ (["3.1"]);

/** Whether the link survived: a message is sent and looked for. @param {RawWorld} world @param {RawPeer} peer */
async function verdict({ socket }, peer) {
  peer.send("after");
  const [gone, got] = await Promise.all([peer.ended(VERDICT_MS / 2), socket.receive(1, VERDICT_MS)]);
  const words = got.length > 0 ? "goes on" : "the message is lost";
  return gone && got.length === 0 ? "closes" : words;
}

/** @param {string} what @param {Buffer} bytes @param {Deviation} deviation @returns {RawScenario} */
function afterOpening(what, bytes, deviation) {
  return {
    name: `deviation/${what}`,
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    deviation,
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(bytes);
      return verdict(world, peer);
    },
  };
}

/** Another READY, or what stands in its place. @param {string} what @param {Buffer} bytes @param {Deviation} deviation @returns {RawScenario} */
function inPlaceOfReady(what, bytes, deviation) {
  return {
    name: `deviation/${what}`,
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    deviation,
    async run(world) {
      const peer = await world.meet();
      await peer.greet("PUSH", "PULL");
      peer.write(bytes);
      return verdict(world, peer);
    },
  };
}

const LOUD = Buffer.concat([Buffer.of(COMMAND | MORE), command("PONG").subarray(1)]);
const SOCKET_TYPE_PUSH = property("Socket-Type", "PUSH");

/** @type {RawScenario[]} */
const framing = [
  afterOpening("reserved bits in the flags", Buffer.concat([Buffer.of(0x40, 1), Buffer.from("x")]), {
    rfc: "must be zero",
    zmtp: "closes",
    libzmq: "goes on",
  }),
  afterOpening("MORE on a command", LOUD, { rfc: "must be zero", zmtp: "closes", libzmq: "goes on" }),
  afterOpening("a command without a name", Buffer.of(COMMAND, 0), {
    rfc: "a name has 1 to 255 octets",
    zmtp: "goes on",
    libzmq: "goes on",
  }),
  afterOpening("a command whose name is longer than the frame", octets("0405 09 50494e47"), {
    rfc: "malformed",
    zmtp: "goes on",
    libzmq: "goes on",
  }),
  afterOpening("an unknown command", command("UNKNOWN", "data"), {
    rfc: "ignored",
    zmtp: "goes on",
    libzmq: "goes on",
  }),
  afterOpening(
    "a frame of 2^62 octets",
    Buffer.concat([Buffer.of(LONG, 0x40, 0, 0, 0, 0, 0, 0, 0), Buffer.from("x")]),
    {
      rfc: "allowed up to 2^63-1",
      zmtp: "closes",
      libzmq: "closes",
    },
  ),
  afterOpening("ERROR after the handshake", command("ERROR", octets("03343030")), {
    rfc: "not foreseen",
    zmtp: "goes on",
    libzmq: "goes on",
  }),
  inPlaceOfReady("READY with flags 00", Buffer.concat([Buffer.of(0), ready("PUSH").subarray(1)]), {
    rfc: "a command has the flag 04",
    zmtp: "goes on",
    libzmq: "goes on",
  }),
  inPlaceOfReady("property names in lower case", command("READY", property("socket-type", "PUSH")), {
    rfc: "compared without case",
    zmtp: "goes on",
    libzmq: "goes on",
  }),
  inPlaceOfReady("a wrong type under a property name in lower case", command("READY", property("socket-type", "PUB")), {
    rfc: "compared without case, refused",
    zmtp: "closes",
    libzmq: "goes on",
  }),
  inPlaceOfReady("READY without a socket type", command("READY"), {
    rfc: "Socket-Type is required",
    zmtp: "goes on",
    libzmq: "goes on",
  }),
  inPlaceOfReady("READY with an octet too many", command("READY", Buffer.concat([SOCKET_TYPE_PUSH, Buffer.of(0)])), {
    rfc: "malformed",
    zmtp: "closes",
    libzmq: "closes",
  }),
  inPlaceOfReady("a message in place of READY", frame(0, Buffer.from("early")), {
    rfc: "malformed",
    zmtp: "closes",
    libzmq: "closes",
  }),
  inPlaceOfReady("a socket type that does not fit", ready("PUB"), {
    rfc: "ERROR, then the end",
    zmtp: "closes",
    libzmq: "closes",
  }),
];

/** @type {RawScenario[]} */
const commands = [
  {
    name: "deviation/PING without a time to live",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: { rfc: "malformed", zmtp: "closes", libzmq: "answers with stray memory" },
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(command("PING"));
      if (await peer.ended(VERDICT_MS / 2)) return "closes";
      const { body } = await peer.frame();
      return body.toString("latin1", 1, 5) === "PONG" ? "answers with stray memory" : body.toString("hex");
    },
  },
  {
    name: "deviation/PING with 20 octets of context",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: { rfc: "0 to 16 octets", zmtp: "answers with 16", libzmq: "answers with 16" },
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(command("PING", Buffer.concat([Buffer.of(0, 0), Buffer.from("0123456789abcdefWXYZ")])));
      if (await peer.ended(VERDICT_MS / 2)) return "closes";
      return `answers with ${(await peer.frame()).body.length - 5}`;
    },
  },
  {
    name: "deviation/a time to live of 65.6 s",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: { rfc: "lives for 65.6 s", zmtp: "goes on", libzmq: "closes" },
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      peer.write(command("PING", Buffer.of(656 >> 8, 656 & 255)));
      if (await peer.ended(VERDICT_MS / 2)) return "closes";
      await peer.frame();
      return verdict(world, peer);
    },
  },
  {
    name: "deviation/one slow large frame under heartbeats",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    options: { heartbeatInterval: 100, heartbeatTimeout: 300 },
    deviation: { rfc: "any traffic is life", zmtp: "goes on", libzmq: "closes" },
    async run(world) {
      const peer = await world.meet();
      await peer.open("PUSH", "PULL");
      const bytes = peer.message("x".repeat(100));
      for (let at = 0; at < bytes.length && !peer.closed; at += 10) {
        peer.write(bytes.subarray(at, at + 10));
        await pause(80);
      }
      return peer.closed ? "closes" : (await world.socket.receive(1)).length === 1 ? "goes on" : "the message is lost";
    },
  },
  {
    name: "deviation/subscribed twice, cancelled once",
    type: "PUB",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: { rfc: "still subscribed", zmtp: "no longer", libzmq: "no longer" },
    async run(world) {
      const peer = await world.meet();
      await peer.open("SUB", "PUB");
      peer.write(
        command("SUBSCRIBE", "A"),
        command("SUBSCRIBE", "A"),
        command("CANCEL", "A"),
        command("SUBSCRIBE", "B"),
      );
      for (let attempt = 0; attempt < 50; attempt++) {
        await world.socket.send("A");
        await world.socket.send("B");
        const got = await peer.receive(40).catch(() => undefined);
        if (got !== undefined) return String(got[0]) === "A" ? "still subscribed" : "no longer";
      }
      return "nothing came";
    },
  },
  {
    name: "deviation/a topic of 250 octets to a 3.1 peer",
    type: "SUB",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: {
      rfc: "a long frame",
      zmtp: "a long frame",
      libzmq: "a long frame",
      libzmq434: "eight octets of size without LONG",
    },
    run: (world) => topicForm(world, 250, "a long frame"),
  },
  {
    name: "deviation/a topic of 255 octets to a 3.0 peer",
    type: "SUB",
    versions: ["3.0"],
    binds: ["implementation"],
    deviation: { rfc: "a long frame", zmtp: "a long frame", libzmq: "eight octets of size without LONG" },
    run: (world) => topicForm(world, 255, "a long frame"),
  },
  {
    name: "deviation/the type octet of XPUB to a 2.0 peer",
    type: "XPUB",
    versions: ["2.0"],
    binds: ["implementation"],
    deviation: { rfc: "1, as PUB", zmtp: "9", libzmq: "9" },
    async run(world) {
      const peer = await world.meet();
      peer.write(octets("ff00000000000000017f 01"), Buffer.of(TYPE_OCTETS.SUB[0], 0, 0));
      await peer.read(11);
      return String((await peer.read(1))[0]);
    },
  },
];

/** @param {RawWorld} world @param {number} size @param {string} good */
async function topicForm(world, size, good) {
  await world.socket.open();
  await world.socket.subscribe("t".repeat(size));
  const peer = await world.join();
  await peer.open("PUB", "SUB");
  const [flags] = await peer.read(1);
  if (flags & LONG) return good;
  const head = await peer.read(8);
  return head[0] === 0 && head[1] === 0 ? "eight octets of size without LONG" : "a short frame";
}

/** @type {RawScenario[]} */
const refusals = [
  {
    name: "deviation/after a malformed frame from the bound end",
    type: "PULL",
    versions: [...NEW],
    binds: ["script"],
    options: { reconnectInterval: 50 },
    deviation: { rfc: "nothing said", zmtp: "connects again", libzmq: "never comes back" },
    async run(world) {
      const peer = await world.meet();
      await peer.greet("PUSH", "PULL");
      peer.write(frame(0, Buffer.from("no command")));
      await peer.ended();
      return comesBack(world);
    },
  },
  {
    name: "deviation/after a plain close from the bound end",
    type: "PULL",
    versions: [...NEW],
    binds: ["script"],
    options: { reconnectInterval: 50 },
    deviation: { rfc: "nothing said", zmtp: "connects again", libzmq: "connects again" },
    async run(world) {
      const peer = await world.meet();
      await peer.greet("PUSH", "PULL");
      peer.destroy();
      return comesBack(world);
    },
  },
  {
    name: "deviation/after a mechanism that does not match",
    type: "PULL",
    versions: [...NEW],
    binds: ["script"],
    options: { reconnectInterval: 50 },
    deviation: { rfc: "closes", zmtp: "connects again", libzmq: "never comes back" },
    async run(world) {
      const peer = await world.meet();
      peer.write(greeting(1, "PLAIN"));
      await peer.ended();
      return comesBack(world);
    },
  },
  {
    name: "deviation/ERROR 400 in place of READY",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: { rfc: "the end of the connection", zmtp: "closes", libzmq: "closes" },
    async run(world) {
      const peer = await world.meet();
      await peer.greet("PUSH", "PULL");
      peer.write(command("ERROR", octets("03343030")));
      return (await peer.ended(VERDICT_MS)) ? "closes" : "waits";
    },
  },
  {
    name: "deviation/PLAIN: as-server in the server's greeting",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    needs: ["plain"],
    options: { plainServer: true, zapDomain: "global" },
    deviation: { rfc: "1", zmtp: "1", libzmq: "0" },
    async run(world) {
      await world.socket.agent.call("zap", ["plain", "x61", "x62"]);
      const peer = await world.meet();
      peer.write(greeting(1, "PLAIN"));
      return String((await peer.read(64))[32]);
    },
  },
  {
    name: "deviation/PLAIN: how a wrong password is answered",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    needs: ["plain"],
    options: { plainServer: true, zapDomain: "global" },
    deviation: { rfc: "05 ERROR", zmtp: "5E RROR", libzmq: "5E RROR" },
    async run(world) {
      await world.socket.agent.call("zap", ["plain", "x61", "x62"]);
      const peer = await world.meet();
      peer.write(greeting(1, "PLAIN"));
      await peer.read(64);
      peer.write(command("HELLO", octets("01 61 01 63")));
      const { body } = await peer.frame();
      return `${body.toString("hex", 0, 1).toUpperCase()} ${body.toString("latin1", 1, body.length - 4)}`;
    },
  },
  {
    name: "deviation/the client of PLAIN is refused with 5E RROR",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    needs: ["plain"],
    options: { plainUsername: "a", plainPassword: "b" },
    deviation: { rfc: "malformed", zmtp: "an event for the refusal", libzmq: "an event for the refusal" },
    run: (world) => plainRefusal(world, octets("0409 5e 52524f52 03 343030")),
  },
  {
    name: "deviation/the client of PLAIN is refused with 05 ERROR",
    type: "PULL",
    versions: [...NEW],
    binds: ["implementation"],
    needs: ["plain"],
    options: { plainUsername: "a", plainPassword: "b" },
    deviation: { rfc: "the refusal", zmtp: "an event for the refusal", libzmq: "an event for a protocol error" },
    run: (world) => plainRefusal(world, command("ERROR", octets("03343030"))),
  },
  {
    name: "deviation/a second peer with the same routing id",
    type: "ROUTER",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: { rfc: "refused or replaced", zmtp: "the second is closed", libzmq: "the second stays, unheard" },
    async run(world) {
      const first = await world.meet();
      await first.open("DEALER", "ROUTER", { identity: "same" });
      first.send("first");
      await world.socket.expect([["same", "first"]]);
      const second = await world.dial();
      await second.open("DEALER", "ROUTER", { identity: "same" });
      second.send("second");
      const got = await world.socket.receive(1, VERDICT_MS / 2);
      if (got.length > 0) return "the second is heard";
      return second.closed ? "the second is closed" : "the second stays, unheard";
    },
  },
  {
    name: "deviation/a second peer of a PAIR",
    type: "PAIR",
    versions: [...NEW],
    binds: ["implementation"],
    deviation: { rfc: "refused", zmtp: "the second is closed", libzmq: "the second stays, unheard" },
    async run(world) {
      const first = await world.meet();
      await first.open("PAIR", "PAIR");
      first.send("first");
      await world.socket.expect(["first"]);
      const second = await world.dial();
      second.write(greeting(1), ready("PAIR"));
      await pause(50);
      if (!second.closed) second.send("second");
      const got = await world.socket.receive(1, VERDICT_MS / 2);
      if (got.length > 0) return "the second is heard";
      return second.closed ? "the second is closed" : "the second stays, unheard";
    },
  },
  {
    name: "deviation/a PUB of ZMTP 2.0 meets a PUSH",
    type: "PUSH",
    versions: ["2.0"],
    binds: ["implementation"],
    deviation: { rfc: "not valid", zmtp: "closes", libzmq: "goes on" },
    async run(world) {
      const peer = await world.meet();
      peer.write(octets("ff00000000000000017f 01"), Buffer.of(TYPE_OCTETS.PUB[0], 0, 0));
      await peer.read(10);
      if (await peer.ended(VERDICT_MS / 2)) return "closes";
      return "goes on";
    },
  },
];

/** @param {RawWorld} world @param {Buffer} refusal */
async function plainRefusal(world, refusal) {
  const peer = await world.meet();
  peer.write(greeting(1, "PLAIN"));
  await peer.read(64);
  await peer.frame();
  peer.write(refusal);
  await peer.ended();
  await pause(50);
  const events = await world.socket.events();
  if (events["handshake:error:auth"]) return "an event for the refusal";
  return events["handshake:error:protocol"] ? "an event for a protocol error" : "no event";
}

/** @param {RawWorld} world */
const comesBack = (world) =>
  world.accept(VERDICT_MS * 2).then(
    () => "connects again",
    () => "never comes back",
  );

export const deviations = [...framing, ...commands, ...refusals];
