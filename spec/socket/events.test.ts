/**
 * Events in their order and with their payloads, as the native binding raises them; what differs on purpose says so.
 */
import { connect } from "node:net";
import { Dealer, type Event, Pair, Publisher, Pull, Push, Reply, type Socket, Stream } from "../../src/index.ts";
import { GREETING, message, octets, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { rejected, Sockets, TRANSPORTS } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("socket/events");
const sockets = new Sockets(it);

/** The events of a socket as lines; the address is left out where it is the one expected. */
class Log {
  readonly events: Event[] = [];
  readonly #socket: Socket;
  readonly #address: () => string;

  constructor(socket: Socket, address: () => string) {
    this.#socket = socket;
    this.#address = address;
    const { events } = socket;
    void (async () => {
      for await (const event of events) this.events.push(event);
    })();
  }

  get lines(): string[] {
    return this.events.map((event) => this.#line(event));
  }

  #line(event: Event): string {
    const words: string[] = [event.type];
    if ("address" in event && event.address !== this.#address()) words.push(event.address);
    if ("interval" in event) words.push(Number.isInteger(event.interval) && event.interval > 0 ? "in ms" : "?");
    if ("error" in event) {
      const { message, code, errno, status } = event.error as Error & {
        code?: string;
        errno?: number;
        status?: number;
      };
      words.push(String(code ?? status), ...(errno === undefined ? [] : [String(errno)]), message);
    }
    return words.join(" ");
  }

  async until(type: string): Promise<void> {
    await eventually(() => this.lines.some((line) => line.split(" ")[0] === type));
  }

  /** Closes the socket and gives all that was told. */
  async end(): Promise<string[]> {
    this.#socket.linger = 0;
    this.#socket.close();
    await this.until("end");
    return this.lines;
  }
}

for (const transport of ["tcp", "ipc"] as const) {
  const delay = transport === "tcp" ? ["connect:delay"] : [];

  it(`a link, and the loss of it (${transport})`, async () => {
    const pull = sockets.own(new Pull());
    const push = sockets.own(new Push({ reconnectInterval: 30 }));
    let address = "";
    const bound = new Log(pull, () => address);
    const connected = new Log(push, () => address);
    address = await sockets.join(pull, push, transport);
    await push.send("x");
    await pull.receive();
    assert.equal(await bound.end(), ["bind", "accept", "handshake", "close", "end"]);
    await eventually(() => connected.lines.filter((line) => line === "connect:retry in ms").length >= 2);
    assert.equal((await connected.end()).slice(0, 8 + delay.length), [
      ...delay,
      "connect",
      "handshake",
      "disconnect",
      "connect:retry in ms",
      ...delay,
      "close",
      "connect:retry in ms",
      ...connected.lines.slice(6 + 2 * delay.length, 8 + delay.length),
    ]);
    assert.is(connected.lines.at(-1), "end");
  });

  it(`the peer that leaves is a disconnect for the one that binds (${transport})`, async () => {
    const pull = sockets.own(new Pull());
    const push = sockets.own(new Push());
    let address = "";
    const bound = new Log(pull, () => address);
    const connected = new Log(push, () => address);
    address = await sockets.join(pull, push, transport);
    await push.send("x");
    await pull.receive();
    push.disconnect(address);
    await bound.until("disconnect");
    assert.equal(await connected.end(), [...delay, "connect", "handshake", "end"]);
    await pull.unbind(address);
    assert.equal(await bound.end(), ["bind", "accept", "handshake", "disconnect", "close", "end"]);
  });
}

it("inproc has no events but the end", async () => {
  const pair = sockets.own(new Pair());
  const other = sockets.own(new Pair());
  const logs = [new Log(pair, () => ""), new Log(other, () => "")];
  await sockets.join(pair, other);
  await pair.send("x");
  await other.receive();
  await rejected(() => sockets.own(new Pair()).bind(pair.lastEndpoint as string));
  for (const log of logs) assert.equal(await log.end(), ["end"]);
});

it("nobody there", async () => {
  const server = await RawServer.listen();
  const { address } = server;
  await server.close();
  const push = sockets.own(new Push({ reconnectInterval: 5000 }));
  const log = new Log(push, () => address);
  push.connect(address);
  await log.until("connect:retry");
  assert.equal(await log.end(), ["connect:delay", "close", "connect:retry in ms", "end"]);
  const [, , retry] = log.events as Extract<Event, { type: "connect:retry" }>[];
  assert.ok(retry.interval >= 5000 && retry.interval < 10_000);

  const once = sockets.own(new Push({ reconnectInterval: -1 }));
  const onceLog = new Log(once, () => address);
  once.connect(address);
  await onceLog.until("close");
  assert.equal(await onceLog.end(), ["connect:delay", "close", "end"]);
});

it("a bind that fails, by the address without its scheme", async () => {
  const holder = sockets.own(new Pull());
  const taken = await sockets.bound(holder, "tcp");
  const pull = sockets.own(new Pull());
  const log = new Log(pull, () => taken.slice("tcp://".length));
  for (const address of [taken, "tcp://1.2.3.4:5", "ipc:///no/such/folder/x", "tcp://127.0.0.1"]) {
    await rejected(() => pull.bind(address));
    await rejected(async () => pull.bindSync(address));
  }
  // Nor are there any for what is no address of a transport with events.
  for (const address of ["nonsense", "inproc://", "unknown://x"]) await rejected(() => pull.bind(address));
  const told = [
    "bind:error EADDRINUSE 98 Address already in use",
    "bind:error 1.2.3.4:5 EADDRNOTAVAIL 99 Cannot assign requested address",
    "bind:error /no/such/folder/x ENOENT 2 No such endpoint",
    "bind:error 127.0.0.1 EINVAL 22 Invalid argument",
  ];
  assert.equal(await log.end(), [...told.flatMap((line) => [line, line]), "end"]);
});

it("types that do not go together: both ends say so", async () => {
  const publisher = sockets.own(new Publisher());
  const push = sockets.own(new Push({ reconnectInterval: 5000 }));
  let address = "";
  const bound = new Log(publisher, () => address);
  const connected = new Log(push, () => address);
  address = await sockets.join(publisher, push, "tcp");
  await connected.until("disconnect");
  await bound.until("disconnect");
  const told = "handshake:error:protocol ERR_ZMTP_INVALID_METADATA ZMTP protocol error";
  assert.equal(await bound.end(), ["bind", "accept", told, "disconnect", "close", "end"]);
  // libzmq would never try again.
  assert.equal(await connected.end(), ["connect:delay", "connect", told, "disconnect", "connect:retry in ms", "end"]);
});

interface Fault {
  readonly title: string;
  /** What the peer sends; null: it closes; undefined: it cuts the connection with a reset. */
  readonly octets: Buffer | null | undefined;
  readonly told: string;
  readonly handshakeInterval?: number;
}

const FAULTS: Fault[] = [
  { title: "closes at once", octets: null, told: "handshake:error:other EPIPE 32 Broken pipe" },
  { title: "resets", octets: undefined, told: "handshake:error:other ECONNRESET 104 Connection reset by peer" },
  {
    title: "says nothing",
    octets: Buffer.alloc(0),
    told: "handshake:error:other EAGAIN 11 Operation was not possible or timed out",
    handshakeInterval: 50,
  },
  {
    title: "has another mechanism",
    octets: octets(`ff00000000000000017f0301504c41494e${"00".repeat(47)}`),
    told: "handshake:error:protocol ERR_ZMTP_MECHANISM_MISMATCH ZMTP protocol error",
  },
  {
    title: "sends a message before its READY",
    octets: Buffer.concat([GREETING, message("x")]),
    told: "handshake:error:protocol ERR_ZMTP_UNEXPECTED_COMMAND ZMTP protocol error",
  },
  {
    title: "denies by ERROR",
    octets: Buffer.concat([GREETING, octets("040a054552524f5203343030")]),
    told: "handshake:error:auth 400 Authentication failure",
  },
  {
    title: "denies by ERROR for now",
    octets: Buffer.concat([GREETING, octets("040a054552524f5203333030")]),
    told: "handshake:error:auth 300 Temporary error",
  },
  {
    title: "fails by ERROR",
    octets: Buffer.concat([GREETING, octets("040a054552524f5203353030")]),
    told: "handshake:error:auth 500 Internal error",
  },
  {
    title: "sends half an ERROR",
    octets: Buffer.concat([GREETING, octets("0406054552524f52")]),
    told: "handshake:error:protocol ERR_ZMTP_MALFORMED_COMMAND_ERROR ZMTP protocol error",
  },
];

for (const { title, octets: bytes, told, handshakeInterval = 30_000 } of FAULTS) {
  const play = async (peer: RawPeer): Promise<void> => {
    if (bytes === null) peer.socket.end();
    else if (bytes !== undefined) peer.write(bytes);
    else {
      // It is there, and greets.
      await peer.read(10);
      peer.reset();
    }
  };

  it(`a peer ${title}: on both sides the failure, then the disconnect`, async () => {
    const bound = sockets.own(new Pull({ handshakeInterval }));
    let address = "";
    const boundLog = new Log(bound, () => address);
    address = await sockets.bound(bound, "tcp");
    const peer = await RawPeer.connect(address);
    await play(peer);
    await boundLog.until("disconnect");
    assert.equal(await boundLog.end(), ["bind", "accept", told, "disconnect", "close", "end"]);
    peer.destroy();

    const server = await RawServer.listen();
    const pull = sockets.own(new Pull({ handshakeInterval, reconnectInterval: 5000 }));
    const log = new Log(pull, () => server.address);
    pull.connect(server.address);
    await play(await server.accept());
    await log.until("connect:retry");
    // libzmq does not try again after a fault of the protocol.
    assert.equal(await log.end(), ["connect:delay", "connect", told, "disconnect", "connect:retry in ms", "end"]);
    await server.close();
  });
}

it("after the handshake: too large a frame, heartbeats that stay away", async () => {
  const pull = sockets.own(new Pull({ maxMessageSize: 100, heartbeatInterval: 30, heartbeatTimeout: 60 }));
  let address = "";
  const log = new Log(pull, () => address);
  address = await sockets.bound(pull, "tcp");
  const large = await RawPeer.connect(address);
  await large.handshake("PUSH");
  large.send("x".repeat(101));
  await log.until("disconnect");
  const silent = await RawPeer.connect(address);
  await silent.handshake("PUSH");
  await eventually(() => log.lines.filter((line) => line === "disconnect").length === 2);
  const once = ["accept", "handshake", "disconnect"];
  assert.equal(await log.end(), ["bind", ...once, ...once, "close", "end"]);
});

it("a refused peer by tcpAcceptFilter", async () => {
  const pull = sockets.own(new Pull({ tcpAcceptFilter: "10.0.0.0/8" }));
  let address = "";
  const log = new Log(pull, () => address);
  address = await sockets.bound(pull, "tcp");
  const peer = await RawPeer.connect(address);
  await peer.closed;
  await log.until("accept:error");
  assert.equal(await log.end(), ["bind", "accept:error EACCES 13 Permission denied", "close", "end"]);
});

it("STREAM has no handshake to tell of", async () => {
  const stream = sockets.own(new Stream());
  let address = "";
  const log = new Log(stream, () => address);
  address = await sockets.bound(stream, "tcp");
  const client = connect(Number(address.split(":")[2]), "127.0.0.1");
  await stream.receive();
  client.end();
  await log.until("disconnect");
  assert.equal(await log.end(), ["bind", "accept", "disconnect", "close", "end"]);
});

it("several endpoints, each by its own address", async () => {
  const reply = sockets.own(new Reply());
  const log = new Log(reply, () => "");
  const addresses = [await sockets.bound(reply, "tcp"), await sockets.bound(reply, "ipc")];
  const dealers = addresses.map((address) => {
    const dealer = sockets.own(new Dealer());
    dealer.connect(address);
    return dealer;
  });
  await eventually(() => log.lines.filter((line) => line.startsWith("handshake")).length === 2);
  for (const address of addresses) {
    assert.equal(
      log.events.filter((event) => "address" in event && event.address === address).map(({ type }) => type),
      ["bind", "accept", "handshake"],
    );
  }
  for (const dealer of dealers) dealer.close();
  await log.end();
});

for (const transport of TRANSPORTS) {
  it(`links that flap leave nothing at the observer (${transport})`, async () => {
    const pull = sockets.own(new Pull());
    const heard = { accept: 0, disconnect: 0 };
    const count = (event: { type: "accept" | "disconnect" }): void => {
      heard[event.type]++;
    };
    pull.events.on("accept", count).on("disconnect", count);
    const address = await sockets.bound(pull, transport);
    for (let i = 0; i < 50; i++) {
      const push = sockets.own(new Push());
      push.connect(address);
      await push.send("x");
      await pull.receive();
      push.close();
    }
    const expected = transport === "inproc" ? 0 : 50;
    await eventually(() => heard.disconnect === expected);
    assert.equal(heard, { accept: expected, disconnect: expected });
    // Closed and opened again, it hears what comes from then on.
    const first = pull.events;
    first.close();
    assert.is.not(pull.events, first);
    const again = new Promise((resolve) => pull.events.on("accept", resolve));
    if (transport === "inproc") return;
    const push = sockets.own(new Push());
    push.connect(address);
    await again;
  });
}

it.run();
