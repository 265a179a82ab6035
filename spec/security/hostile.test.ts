/**
 * Hostile handshakes against real sockets, bound and connected, PLAIN and CURVE: commands cut off, changed, replayed,
 * out of their order or too large. The connection ends with the code of what was wrong, nothing is delivered, nothing
 * is answered, and an honest peer of the same socket notices nothing. Every bit and every length, for the codes:
 * spec/mechanism.
 */
import { Pull, Push } from "zmtp";
import { frame, message, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { Sockets, texts } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turn } from "../helpers/wait.ts";
import { Attacker, framed, metadataOf } from "./attacker.ts";
import {
  answer,
  curveClient,
  curveServer,
  fresh,
  handle,
  plainClient,
  plainServer,
  quick,
  type Watched,
  watch,
} from "./people.ts";

const it = suite("security/hostile");
const sockets = new Sockets(it);

const OWN = {
  PLAIN: { server: plainServer, client: plainClient },
  CURVE: { server: curveServer, client: curveClient },
};
type Name = keyof typeof OWN;
type Role = "client" | "server";

const GONE = "handshake:error:other gone";
const fault = (code: string): string => `handshake:error:protocol ERR_ZMTP_${code}`;
const UNEXPECTED = fault("UNEXPECTED_COMMAND");
const CRYPTOGRAPHIC = fault("CRYPTOGRAPHIC");
const SEQUENCE = fault("INVALID_SEQUENCE");

/**
 * A PULL that is attacked, and an honest PUSH. The attacker plays `role`, over connections that it makes, or accepts.
 */
class Scene {
  readonly name: Name;
  readonly role: Role;
  readonly #server: RawServer | undefined;
  readonly #pull: Pull | undefined;
  readonly #watched: Watched | undefined;
  readonly #honest: Push | undefined;
  #noted = 0;

  private constructor(name: Name, role: Role, server?: RawServer, pull?: Pull, honest?: Push) {
    this.name = name;
    this.role = role;
    this.#server = server;
    this.#pull = pull;
    this.#honest = honest;
    this.#watched = pull === undefined ? undefined : watch(pull);
  }

  /** Clients attack one bound socket; servers each a fresh one that connects, since one would try ever more rarely. */
  static async make(name: Name, role: Role, decide = "200"): Promise<Scene> {
    if (role === "server") return new Scene(name, role, await RawServer.listen());
    const context = fresh();
    await handle(sockets, context, (request) => (decide === "" ? undefined : answer(request, decide)), "ROUTER");
    const pull = sockets.own(new Pull({ context, ...quick, ...OWN[name].server }));
    const honest = sockets.own(new Push({ ...quick, ...OWN[name].client }));
    const scene = new Scene(name, role, undefined, pull, honest);
    await sockets.join(pull, honest, "tcp");
    if (decide !== "") await scene.isWell();
    return scene;
  }

  /**
   * Lets `attack` happen, and looks at what it leads to: the events `expected` (one of them, when several) and the end.
   * `delivered` messages may have come through before.
   */
  async attack(
    title: string,
    expected: string | readonly string[],
    attack: (attacker: Attacker) => Promise<unknown>,
    { metadata = metadataOf("PUSH"), delivered = [] as string[] } = {},
  ): Promise<void> {
    const role = `${this.name} ${this.role}`;
    let pull = this.#pull;
    let watched = this.#watched;
    let attacker: Attacker;
    if (this.#server === undefined) {
      attacker = await Attacker.connect(pull!.lastEndpoint, role, metadata);
    } else {
      // It must not come again meanwhile, and be taken for the next.
      pull = new Pull({ ...quick, reconnectInterval: 60_000, ...OWN[this.name].client });
      watched = watch(pull);
      this.#noted = 0;
      pull.connect(this.#server.address);
      attacker = new Attacker(await this.#server.accept(), role, metadata);
    }
    const { peer } = attacker;
    try {
      await attack(attacker);
      // What nobody found wrong yet may be waiting for more octets.
      const { seen } = watched!;
      const isOver = (): boolean => seen.indexOf("disconnect", this.#noted) >= 0;
      if (!peer.isClosed) peer.socket.end();
      await peer.closed;
      while (!isOver()) await turn();
      const end = seen.indexOf("disconnect", this.#noted) + 1;
      const events = seen.slice(this.#noted, end).filter((event) => event !== "handshake");
      this.#noted = end;
      const [told = "nothing"] = events.slice(0, -1);
      assert.ok([expected].flat().includes(told), `${title}: ${told} instead of ${expected}`);
      assert.is(events.at(-1), "disconnect", title);
      if (!attacker.isDone) assert.is(peer.available, 0, `${title}: an answer of ${peer.available} octets`);
      for (const text of delivered) assert.equal(texts(await pull!.receive()), [text], title);
      assert.not(pull!.readable, title);
    } finally {
      if (this.#server !== undefined) pull!.close();
      peer.destroy();
    }
  }

  /** The honest peer is served. */
  async isWell(): Promise<void> {
    if (this.#honest === undefined) return;
    await this.#honest.send("honest");
    assert.equal(texts(await this.#pull!.receive()), ["honest"]);
    this.#watched!.seen.length = this.#noted = 0;
  }

  async close(): Promise<void> {
    await this.isWell();
    await this.#server?.close();
  }
}

/** An attack by changing the command with that index (0 is HELLO, or WELCOME) of a handshake that is honest before. */
const instead =
  (index: number, change: (body: Buffer) => Buffer) =>
  async (attacker: Attacker): Promise<void> => {
    await attacker.greet();
    await attacker.play(index);
    const body = await attacker.next();
    attacker.peer.write(change(Buffer.from(body)));
  };

/** How long the commands are, as they come. */
async function lengths(scene: Scene): Promise<number[]> {
  const found: number[] = [];
  for (const index of [0, 1]) {
    const note = instead(index, (body) => {
      found.push(body.length);
      return Buffer.alloc(0);
    });
    await scene.attack("measured", GONE, note);
  }
  return found;
}

/** What may be found wrong with a command that is cut off, or changed. Which: spec/mechanism. */
const WRONG: Record<string, readonly (readonly string[])[]> = {
  "CURVE client": [
    [UNEXPECTED, fault("MALFORMED_COMMAND_UNSPECIFIED"), fault("MALFORMED_COMMAND_HELLO"), CRYPTOGRAPHIC],
    [UNEXPECTED, fault("MALFORMED_COMMAND_UNSPECIFIED"), fault("MALFORMED_COMMAND_INITIATE"), CRYPTOGRAPHIC],
  ],
  "CURVE server": [
    [UNEXPECTED, fault("MALFORMED_COMMAND_UNSPECIFIED"), fault("MALFORMED_COMMAND_WELCOME"), CRYPTOGRAPHIC],
    [UNEXPECTED, fault("MALFORMED_COMMAND_UNSPECIFIED"), fault("MALFORMED_COMMAND_READY"), CRYPTOGRAPHIC],
  ],
  "PLAIN client": [
    [UNEXPECTED, fault("MALFORMED_COMMAND_HELLO")],
    [UNEXPECTED, fault("INVALID_METADATA")],
  ],
  "PLAIN server": [
    [UNEXPECTED, fault("MALFORMED_COMMAND_WELCOME")],
    [UNEXPECTED, fault("INVALID_METADATA")],
  ],
};

/** HELLO's padding may be anything, as for libzmq. */
const isPadding = (name: Name, role: Role, index: number, octet: number): boolean =>
  name === "CURVE" && role === "client" && index === 0 && octet >= 8 && octet < 80;

for (const name of ["PLAIN", "CURVE"] as const) {
  for (const role of ["client", "server"] as const) {
    const wrong = WRONG[`${name} ${role}`];

    it(
      `${name}: a ${role}'s commands cut off behind each octet`,
      async () => {
        const scene = await Scene.make(name, role);
        for (const [index, length] of (await lengths(scene)).entries()) {
          for (let cut = 0; cut < length; cut++) {
            // PLAIN's last commands may be without metadata: such a peer has no type, as for libzmq.
            if (name === "PLAIN" && index === 1 && cut === length - metadataOf("PUSH").length) continue;
            await scene.attack(
              `command ${index}, ${cut} octets`,
              wrong[index],
              instead(index, (body) => framed(body.subarray(0, cut))),
            );
          }
        }
        await scene.close();
      },
      { timeout: 60_000 },
    );

    it(
      `${name}: a ${role}'s stream cut off behind each octet`,
      async () => {
        const scene = await Scene.make(name, role);
        for (let cut = 0; cut < 64; cut++) {
          await scene.attack(`greeting, ${cut} octets`, GONE, async ({ peer, greeting }) => {
            peer.write(greeting.subarray(0, cut));
            await peer.read(cut < 10 ? 10 : cut === 10 ? 11 : 64);
          });
        }
        for (const [index, length] of (await lengths(scene)).entries()) {
          for (let cut = 0; cut < length; cut++) {
            await scene.attack(
              `command ${index}, ${cut} octets`,
              GONE,
              instead(index, (body) => framed(body).subarray(0, cut)),
            );
          }
        }
        await scene.close();
      },
      { timeout: 60_000 },
    );
  }
}

for (const role of ["client", "server"] as const) {
  it(
    `CURVE: a ${role}'s commands with a flipped bit in each octet`,
    async () => {
      const scene = await Scene.make("CURVE", role);
      for (const [index, length] of (await lengths(scene)).entries()) {
        for (let octet = 0; octet < length; octet++) {
          if (isPadding("CURVE", role, index, octet)) continue;
          await scene.attack(
            `command ${index}, octet ${octet}`,
            WRONG[`CURVE ${role}`][index],
            instead(index, (body) => {
              body[octet] ^= 1 << ((octet * 3) % 8);
              return framed(body);
            }),
          );
        }
      }
      await scene.close();
    },
    { timeout: 60_000 },
  );
}

it("CURVE: a message with a flipped bit in each octet, and cut off behind each, is not delivered", async () => {
  const scene = await Scene.make("CURVE", "client");
  const codes = [
    UNEXPECTED,
    fault("MALFORMED_COMMAND_UNSPECIFIED"),
    fault("MALFORMED_COMMAND_MESSAGE"),
    CRYPTOGRAPHIC,
    SEQUENCE,
  ];
  const bodyOf = (attacker: Attacker, text: string): Buffer => attacker.sealed(message(text))[0].subarray(2);
  const length = 33 + "changed".length;
  for (let octet = 0; octet < length; octet++) {
    for (const cuts of [true, false]) {
      await scene.attack(
        `octet ${octet}`,
        codes,
        async (attacker) => {
          await (await attacker.greet()).play();
          attacker.peer.write(...attacker.sealed(message("before")));
          const body = Buffer.from(bodyOf(attacker, "changed"));
          body[octet] ^= 1 << ((octet * 3) % 8);
          attacker.peer.write(frame(0, cuts ? body.subarray(0, octet) : body), ...attacker.sealed(message("after")));
        },
        { delivered: ["before"] },
      );
    }
  }
  await scene.close();
});

it("CURVE: replayed, reordered and foreign messages end the connection; gaps do not", async () => {
  const scene = await Scene.make("CURVE", "client");
  const foreign: Buffer[] = [];
  const inTraffic =
    (send: (one: Buffer, two: Buffer, three: Buffer) => Buffer[]) =>
    async (attacker: Attacker): Promise<void> => {
      await (await attacker.greet()).play();
      const [one, two, three] = attacker.sealed(message("1"), message("2"), message("3"));
      const octets = send(one, two, three);
      if (foreign.length === 0) foreign.push(one);
      attacker.peer.write(...octets);
    };
  await scene.attack(
    "in order, with a gap",
    "nothing",
    inTraffic((one, _, three) => [one, three]),
    {
      delivered: ["1", "3"],
    },
  );
  await scene.attack(
    "a repeated nonce",
    SEQUENCE,
    inTraffic((one) => [one, one]),
    { delivered: ["1"] },
  );
  await scene.attack(
    "a repeated nonce, later",
    SEQUENCE,
    inTraffic((one, two) => [one, two, one]),
    {
      delivered: ["1", "2"],
    },
  );
  await scene.attack(
    "reordered",
    SEQUENCE,
    inTraffic((one, two, three) => [two, one, three]),
    { delivered: ["2"] },
  );
  await scene.attack(
    "of another session",
    CRYPTOGRAPHIC,
    inTraffic(() => [foreign[0]]),
  );
  await scene.attack("its own, sent back", CRYPTOGRAPHIC, async (attacker) => {
    await (await attacker.greet()).play();
    const [octets] = attacker.sealed(message("1"));
    // As if the server had sent it: the nonces of the two directions differ.
    const mirror = Buffer.from(octets);
    mirror.writeUInt32BE(9, 2 + 12);
    attacker.peer.write(mirror);
  });
  for (const [title, clear] of [
    ["a message in the clear", message("clear")],
    ["a PING in the clear", framed(Buffer.from("\x04PING\0\0"))],
    ["READY again", framed(Buffer.from("\x05READY"))],
    ["HELLO again", framed(Buffer.concat([Buffer.from("\x05HELLO"), Buffer.alloc(194)]))],
    ["nothing", frame(0, Buffer.alloc(0))],
  ] as const) {
    await scene.attack(title, [UNEXPECTED, fault("MALFORMED_COMMAND_UNSPECIFIED")], async (attacker) => {
      await (await attacker.greet()).play();
      attacker.peer.write(clear);
    });
  }
  await scene.close();
});

it("commands replayed and out of their order", async () => {
  for (const name of ["PLAIN", "CURVE"] as const) {
    const scene = await Scene.make(name, "client");
    const twice = (body: Buffer): Buffer => Buffer.concat([framed(body), framed(body)]);
    let old: Buffer[] = [];
    await scene.attack("an honest handshake", "nothing", async (attacker) => {
      await attacker.greet();
      for (const _ of [0, 1]) {
        old.push(await attacker.next());
        attacker.peer.write(framed(old.at(-1) as Buffer));
      }
      await attacker.play();
      old = old.map((body) => Buffer.from(body));
    });
    const [hello, initiate] = old;
    const write =
      (...bodies: Buffer[]) =>
      async (attacker: Attacker): Promise<void> => {
        await attacker.greet();
        for (const body of bodies) {
          attacker.peer.write(framed(body));
          if (body === hello && bodies.length > 1) await attacker.peer.frame();
        }
      };
    await scene.attack("INITIATE first", UNEXPECTED, write(initiate));
    await scene.attack("READY from a client", UNEXPECTED, write(Buffer.from("\x05READY")));
    await scene.attack("WELCOME from a client", UNEXPECTED, write(Buffer.from("\x07WELCOME")));
    await scene.attack("a message first", UNEXPECTED, write(Buffer.from("\x07MESSAGE".padEnd(40))));
    await scene.attack("ERROR from a client", UNEXPECTED, write(Buffer.from("\x05ERROR\x03400")));
    await scene.attack("HELLO twice", UNEXPECTED, async (attacker) => {
      await attacker.greet();
      attacker.peer.write(twice(hello));
      // PLAIN asks its ZAP handler before it answers.
      if (name === "CURVE") await attacker.peer.frame();
    });
    // Under CURVE an old INITIATE carries the cookie of another connection; PLAIN has nothing to tell it by.
    if (name === "CURVE") await scene.attack("an old session", CRYPTOGRAPHIC, write(hello, initiate));
    await scene.close();

    const servers = await Scene.make(name, "server");
    let welcome: Buffer = Buffer.alloc(0);
    await servers.attack("an honest server", "nothing", async (attacker) => {
      await attacker.greet();
      welcome = await attacker.next();
      attacker.peer.write(framed(welcome));
      await attacker.play();
    });
    const early = frame(0, Buffer.from("\x07MESSAGE".padEnd(40)));
    const answers =
      (...bodies: Buffer[]) =>
      async (attacker: Attacker): Promise<void> => {
        await attacker.greet();
        await attacker.peer.frame();
        attacker.peer.write(...bodies.map(framed));
      };
    await servers.attack("READY first", UNEXPECTED, answers(Buffer.from("\x05READY".padEnd(40))));
    await servers.attack("HELLO from a server", UNEXPECTED, answers(hello));
    await servers.attack("a message first", UNEXPECTED, answers(Buffer.from("\x07MESSAGE".padEnd(40))));
    if (name === "CURVE") await servers.attack("an old WELCOME", CRYPTOGRAPHIC, answers(welcome));
    await servers.attack("WELCOME twice", UNEXPECTED, async (attacker) => {
      await attacker.greet();
      const body = await attacker.next();
      attacker.peer.write(framed(body), framed(body));
      await attacker.peer.frame();
    });
    await servers.attack("a message between WELCOME and READY", UNEXPECTED, async (attacker) => {
      await attacker.greet();
      attacker.peer.write(framed(await attacker.next()), early);
      await attacker.peer.frame();
    });
    await servers.attack(
      "an ERROR that is cut off",
      fault("MALFORMED_COMMAND_ERROR"),
      answers(Buffer.from("\x05ERROR\x09n")),
    );
    await servers.attack("an ERROR with a reason of its own", "nothing", answers(Buffer.from("\x05ERROR\x02no")));
    await servers.attack("ERROR 400", "handshake:error:auth 400", answers(Buffer.from("\x05ERROR\x03400")));
    await servers.close();
  }
});

it("a message behind INITIATE, while the ZAP handler is asked, is out of turn", async () => {
  const scene = await Scene.make("CURVE", "client", "");
  await scene.attack("early", UNEXPECTED, async (attacker) => {
    await (await attacker.greet()).play(2);
    attacker.peer.write(frame(0, Buffer.from("\x07MESSAGE".padEnd(40))));
  });
});

it("metadata that is too large, or none, or claims what it must not", async () => {
  for (const name of ["PLAIN", "CURVE"] as const) {
    for (const role of ["client", "server"] as const) {
      const scene = await Scene.make(name, role);
      const play = async (attacker: Attacker): Promise<void> => {
        await attacker.greet();
        await attacker.play(2).catch(() => {});
      };
      const invalid = fault("INVALID_METADATA");
      for (const [title, metadata, expected] of [
        ["cut off", metadataOf("PUSH", ["X-Own", "value"]).subarray(0, -1), invalid],
        ["octets left over", Buffer.concat([metadataOf("PUSH"), Buffer.of(0)]), invalid],
        [
          "an endless value",
          Buffer.concat([metadataOf("PUSH"), Buffer.from("\x01X\xff\xff\xff\xff", "latin1")]),
          invalid,
        ],
        ["a routing id of 256 octets", metadataOf("PUSH", ["Identity", Buffer.alloc(256, 1)]), invalid],
        ["a type that does not fit", metadataOf("PUB"), invalid],
        ["no type that there is", metadataOf("NONE"), invalid],
      ] as const) {
        await scene.attack(`${name} ${role}: ${title}`, expected, play, { metadata });
      }
      await scene.attack(
        `${name} ${role}: more than a command may have`,
        "nothing",
        instead(1, (body) => framed(Buffer.concat([body, Buffer.alloc(65536)]))),
      );
      await scene.close();
    }
  }
});

it("metadata: a peer cannot say who it is in the place of the ZAP handler", async () => {
  for (const name of ["PLAIN", "CURVE"] as const) {
    const context = fresh();
    await handle(sockets, context, (request) => answer(request, "200", "joe"));
    const pull = sockets.own(new Pull({ context, ...quick, ...OWN[name].server }));
    const address = await sockets.bound(pull, "tcp");
    const metadata = metadataOf("PUSH", ["User-Id", "root"], ["user-id", "root"], ["Peer-Address", "10.0.0.1"]);
    const attacker = await Attacker.connect(address, `${name} client`, metadata);
    await (await attacker.greet()).play();
    attacker.peer.write(...attacker.sealed(message("hello")));
    assert.equal(texts(await pull.receive()), ["hello"]);
    const peer = pull.lastPeer!;
    assert.equal([peer.userId, peer.address], ["joe", "127.0.0.1"]);
    assert.is(String(peer.properties.get("User-Id")), "joe");
    attacker.peer.destroy();
  }
});

it("many attackers at once do not disturb one another, nor the honest", async () => {
  const pull = sockets.own(new Pull({ ...quick, ...curveServer }));
  const address = await sockets.bound(pull, "tcp");
  const push = sockets.own(new Push({ ...quick, ...curveClient }));
  push.connect(address);
  let isOver = false;
  const attack = async (seed: number): Promise<void> => {
    for (let i = seed; !isOver; i += 7) {
      const attacker = await Attacker.connect(address, "CURVE client", metadataOf("PUSH"));
      const command = instead(i % 2, (body) => {
        body[i % body.length] ^= 1 << (i % 8);
        return framed(body);
      });
      await command(attacker).catch(() => {});
      attacker.peer.destroy();
    }
  };
  const attacks = Array.from({ length: 5 }, (_, seed) => attack(seed));
  for (let i = 0; i < 300; i++) {
    await push.send(String(i));
    assert.equal(texts(await pull.receive()), [String(i)]);
  }
  isOver = true;
  await Promise.all(attacks);
});

it("no way down: a peer of ZMTP 1.0 or 2.0, or with NULL in its greeting, meets nothing but an end", async () => {
  const greetings = {
    "1.0": Buffer.from("0100000161", "hex"),
    "2.0": Buffer.from("ff00000000000000017f0108000000", "hex"),
    NULL: Buffer.concat([Buffer.from("ff00000000000000017f03004e554c4c", "hex"), Buffer.alloc(48)]),
    "another spelling": Buffer.concat([
      Buffer.from("ff00000000000000017f0300", "hex"),
      Buffer.from("curve"),
      Buffer.alloc(47),
    ]),
    "a longer name": Buffer.concat([
      Buffer.from("ff00000000000000017f0300", "hex"),
      Buffer.from("CURVES"),
      Buffer.alloc(46),
    ]),
  };
  const secured = {
    curve: curveServer,
    plain: plainServer,
    "curve client": curveClient,
    "plain client": plainClient,
    domain: { zapDomain: "test" },
  };
  for (const [kind, own] of Object.entries(secured)) {
    for (const [title, octets] of Object.entries(greetings)) {
      if (kind === "domain" && title === "NULL") continue;
      const pull = sockets.own(new Pull({ context: fresh(), ...quick, ...own }));
      const { seen } = watch(pull);
      const peer = await RawPeer.connect(await sockets.bound(pull, "tcp"));
      peer.write(octets);
      await peer.closed;
      await eventually(() => seen.includes("disconnect"));
      assert.equal(seen, [fault("MECHANISM_MISMATCH"), "disconnect"], `${kind}, ${title}`);
      // Nothing but the greeting, and nothing of the routing id or the type that older peers are told.
      const said = await peer.read(peer.available);
      assert.ok(
        said.length <= 64 && (said.length < 64 || said[12] !== 0),
        `${kind}, ${title}: ${said.toString("hex")}`,
      );
      assert.not(pull.readable);
      pull.close();
    }
  }
});

it.run();
