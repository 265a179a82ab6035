/**
 * What the pattern RFCs' tests share: raw peers that a socket knows, and the clauses that are the same for several
 * types.
 */
import type { Event, Socket, Writable } from "zmtp";
import { freePort, RawPeer, RawServer } from "../helpers/raw-peer.ts";
import { rejected, type Sockets } from "../helpers/sockets.ts";
import { assert, type Suite } from "../helpers/test.ts";
import { isPending } from "../helpers/wait.ts";

type PeerType = Parameters<RawPeer["handshake"]>[0];

/** The next event of that type. */
export function happened(socket: Socket, type: Event["type"]): Promise<void> {
  return new Promise((fulfil) => {
    const heard = (): void => {
      socket.events.off(type, heard);
      fulfil();
    };
    socket.events.on(type, heard);
  });
}

/** Cuts the connection of a raw peer; returns when the socket has noticed. */
export async function gone(socket: Socket, peer: RawPeer): Promise<void> {
  const noticed = happened(socket, "disconnect");
  peer.destroy();
  await noticed;
}

/** The raw peers and servers of one test, which end with it. */
export class Raw {
  readonly #servers: RawServer[] = [];
  readonly #peers: RawPeer[] = [];

  constructor(it: Suite) {
    it.afterEach(async () => {
      for (const peer of this.#peers.splice(0)) peer.destroy();
      for (const server of this.#servers.splice(0)) await server.close();
    });
  }

  /**
   * Binds the socket unless it is, and connects peers to it, one for each routing id; both sides know of each other
   * then.
   */
  async join(socket: Socket, type: PeerType, ...routingIds: string[]): Promise<RawPeer[]> {
    if (socket.lastEndpoint === null) await socket.bind("tcp://127.0.0.1:*");
    const peers: RawPeer[] = [];
    for (const routingId of routingIds) {
      const known = happened(socket, "handshake");
      const peer = await this.connect(socket);
      await peer.handshake(type, routingId);
      await known;
      peers.push(peer);
    }
    return peers;
  }

  /** A peer that has said nothing yet. */
  async connect(socket: Socket): Promise<RawPeer> {
    const peer = await RawPeer.connect(socket.lastEndpoint);
    this.#peers.push(peer);
    return peer;
  }

  async listen(port = 0): Promise<RawServer> {
    const server = await RawServer.listen(port);
    this.#servers.push(server);
    return server;
  }
}

/** More than the kernel takes of one connection in a few messages. */
const LARGE_BYTES = 3_000_000;

type Sender = Socket & Writable;

/**
 * Sends numbered messages to peers that read nothing until one is refused; gives how many were taken. The kernel may
 * make room later.
 */
export async function fill(socket: Sender, address: string[] = []): Promise<number> {
  const body = Buffer.alloc(LARGE_BYTES);
  socket.sendTimeout = 0;
  for (let taken = 0; ; taken++) {
    const error = await socket.send([...address, String(taken), body]).catch((reason) => reason);
    if (error === undefined) continue;
    assert.is(error.code, "EAGAIN");
    socket.sendTimeout = -1;
    return taken;
  }
}

interface Side {
  sockets: Sockets;
  raw: Raw;
  /** The type under test, and one of its peers. */
  name: string;
  peer: PeerType;
  create(options?: { sendHighWaterMark?: number }): Sender;
}

/** Clauses that RFC 28, 30 and 31 have in the same words for DEALER, PUSH and PAIR. */
export function sendingClauses(it: Suite, { sockets, raw, name, peer: type, create }: Side): void {
  const make: Side["create"] = (options) => sockets.own(create({ ...options }));

  it(`${name} does not change what it sends: frames arrive octet by octet, empty ones too`, async () => {
    const socket = make();
    const [peer] = await raw.join(socket, type, "");
    const frames = [Buffer.alloc(0), Buffer.from([0, 255, 10]), Buffer.alloc(70_000, 7), Buffer.alloc(0)];
    await socket.send(frames);
    for (const [i, frame] of frames.entries()) {
      const { flags, body } = await peer.frame();
      assert.ok(body.equals(frame), `frame ${i}`);
      assert.is(flags & 1, i < frames.length - 1 ? 1 : 0);
    }
  });

  it(`${name} has a queue from connect() on, with a connection or without, and keeps it over a loss`, async () => {
    const socket = make();
    const port = await freePort();
    socket.connect(`tcp://127.0.0.1:${port}`);
    await socket.send("before");
    const server = await raw.listen(port);
    const first = await server.accept();
    await first.handshake(type);
    assert.equal(await first.message(), ["before"]);
    await gone(socket, first);
    await socket.send("between");
    const second = await server.accept();
    await second.handshake(type);
    assert.equal(await second.message(), ["between"]);
  });

  it(`${name} makes a queue when a peer connects, and throws it away with its messages when that leaves`, async () => {
    const socket = make({ sendHighWaterMark: 2 });
    const [first] = await raw.join(socket, type, "");
    first.socket.pause();
    assert.ok((await fill(socket)) >= 2);
    await gone(socket, first);
    const [second] = await raw.join(socket, type, "");
    await socket.send("for the second");
    assert.equal(await second.message(), ["for the second"]);
  });

  it(`${name} limits a queue to sendHighWaterMark, and accepts nothing when no peer has room`, async () => {
    const socket = make({ sendHighWaterMark: 3 });
    const port = await freePort();
    socket.connect(`tcp://127.0.0.1:${port}`);
    for (const text of ["1", "2", "3"]) await socket.send(text);
    socket.sendTimeout = 0;
    assert.is((await rejected(() => socket.send("refused"))).code, "EAGAIN");
    socket.sendTimeout = -1;
    const waiting = socket.send("4");
    const peer = await (await raw.listen(port)).accept();
    await peer.handshake(type);
    for (const text of ["1", "2", "3", "4"]) assert.equal(await peer.message(), [text]);
    await waiting;
  });

  it(`${name} waits, or says EAGAIN when it may not, while it has no peer; what waits is not lost`, async () => {
    const socket = make();
    socket.sendTimeout = 0;
    assert.is((await rejected(() => socket.send("refused"))).code, "EAGAIN");
    socket.sendTimeout = -1;
    const waiting = socket.send("waits");
    assert.ok(await isPending(waiting, 20));
    const [peer] = await raw.join(socket, type, "");
    await waiting;
    assert.equal(await peer.message(), ["waits"]);
  });

  it(`${name} discards nothing that it cannot queue: it goes when the peer reads on`, async () => {
    const socket = make({ sendHighWaterMark: 2 });
    const [peer] = await raw.join(socket, type, "");
    peer.socket.pause();
    const taken = await fill(socket);
    const waiting = socket.send("waits");
    peer.socket.resume();
    for (let i = 0; i < taken; i++) assert.is((await peer.message())[0], String(i));
    assert.equal(await peer.message(), ["waits"]);
    await waiting;
  });
}

/** Clauses that RFC 28 and 30 have in the same words for DEALER and PUSH, which have any number of peers. */
export function balancingClauses(it: Suite, { sockets, raw, name, peer: type, create }: Side): void {
  it(`${name} sends to its peers in turn, those that it connects to and those that connect to it`, async () => {
    const socket = sockets.own(create());
    const peers = await raw.join(socket, type, "", "");
    const server = await raw.listen();
    const known = happened(socket, "handshake");
    socket.connect(server.address);
    const peer = await server.accept();
    await peer.handshake(type);
    await known;
    peers.push(peer);
    for (let i = 0; i < 9; i++) await socket.send(String(i));
    for (const each of peers) {
      const [first] = await each.message();
      assert.equal([await each.message(), await each.message()], [[String(+first + 3)], [String(+first + 6)]]);
    }
  });

  it(`${name} has a queue for each peer: one that is full is passed over, and the others get theirs`, async () => {
    const socket = sockets.own(create({ sendHighWaterMark: 1 }));
    const [slow] = await raw.join(socket, type, "");
    slow.socket.pause();
    await fill(socket);
    const [quick] = await raw.join(socket, type, "");
    for (const text of ["1", "2", "3", "4"]) {
      await socket.send(text);
      assert.equal(await quick.message(), [text]);
    }
  });
}
