import { createHash } from "node:crypto";
import { connect, createServer, type Socket as NetSocket } from "node:net";
import { Stream, type Writable } from "../../src/index.ts";
import { drain, next } from "../helpers/messages.ts";
import { freePort } from "../helpers/raw-peer.ts";
import { rejected, Sockets, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, isPending } from "../helpers/wait.ts";

const it = suite("socket/stream");
const sockets = new Sockets(it);

const port = (address: string): number => Number(address.slice(address.lastIndexOf(":") + 1));

/** A plain TCP client of `address`, and what it has heard. */
async function client(address: string): Promise<{ socket: NetSocket; heard: () => string; ended: Promise<void> }> {
  const socket = connect(port(address), "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  await new Promise((resolve) => socket.on("connect", resolve));
  return { socket, heard: () => text, ended };
}

/** Octets of a connection up to the message in which `end` comes. */
async function octetsUntil(stream: Stream, id: string, end: string): Promise<string> {
  let octets = "";
  while (!octets.endsWith(end)) {
    const text = await next(stream);
    // The id may hold any octet, also that of the separator.
    assert.is(text.slice(0, id.length + 1), `${id}|`);
    octets += text.slice(id.length + 1);
  }
  return octets;
}

it("a plain client: notice, octets both ways, notice when it goes", async () => {
  const stream = sockets.own(new Stream());
  const { socket, heard } = await client(await sockets.bound(stream, "tcp"));
  const [id, notice] = await stream.receive();
  assert.equal([id.length, id[0], notice.length], [5, 0, 0]);
  socket.write("GET / HTTP/1.0\r\n\r\n");
  assert.is(await octetsUntil(stream, id.toString("latin1"), "\r\n\r\n"), "GET / HTTP/1.0\r\n\r\n");
  await stream.send([id, "HTTP/1.0 200 OK\r\n"]);
  const loose: Writable = stream;
  await loose.send([id, "\r\n", "hello"]);
  await eventually(() => heard() === "HTTP/1.0 200 OK\r\n\r\nhello");
  socket.end();
  const [gone, empty] = await stream.receive();
  assert.equal([gone, empty.length], [id, 0]);
  assert.is((await rejected(() => stream.send([id, "too late"]))).code, "EHOSTUNREACH");
});

it("an empty message ends the connection, after what was sent, without a notice", async () => {
  const stream = sockets.own(new Stream());
  const { heard, ended } = await client(await sockets.bound(stream, "tcp"));
  const [id] = await stream.receive();
  await stream.send([id, Buffer.alloc(100_000, "x")]);
  await stream.send([id, ""]);
  await ended;
  assert.is(heard().length, 100_000);
  assert.equal(await drain(stream, 50), []);
  assert.is((await rejected(() => stream.send([id, ""]))).code, "EHOSTUNREACH");
});

it("an unknown id is EHOSTUNREACH at once, an id alone is dropped", async () => {
  const stream = sockets.own(new Stream());
  assert.ok(stream.writable);
  assert.is((await rejected(() => stream.send(["nobody", "x"]))).code, "EHOSTUNREACH");
  assert.is((await rejected(() => stream.send(["nobody", ""]))).code, "EHOSTUNREACH");
  const loose: Writable = stream;
  await loose.send("nobody");
});

it("two clients, and notify off", async () => {
  const stream = sockets.own(new Stream({ notify: false }));
  const address = await sockets.bound(stream, "tcp");
  const clients = [await client(address), await client(address)];
  for (const [i, { socket }] of clients.entries()) socket.write(`I am ${i}`);
  const ids = new Map<string, Buffer>();
  for (let i = 0; i < 2; i++) {
    const [id, text] = await stream.receive();
    ids.set(String(text), id);
  }
  for (const [text, id] of ids) await stream.send([id, `${text} too`]);
  await eventually(() => clients.every(({ heard }, i) => heard() === `I am ${i} too`));
  for (const { socket } of clients) socket.destroy();
  assert.equal(await drain(stream, 50), []);
});

it("connects to a plain server, by a given id, and again under the same", async () => {
  const accepted: NetSocket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket.on("error", () => {}));
    socket.on("data", (chunk) => socket.write(String(chunk).toUpperCase()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: at } = server.address() as { port: number };
  const stream = sockets.own(new Stream({ reconnectInterval: 20 }));
  stream.connect(`tcp://127.0.0.1:${at}`, { routingId: "server" });
  await stream.send(["server", "early"]);
  assert.is(await next(stream), "server|");
  assert.is(await octetsUntil(stream, "server", "EARLY"), "EARLY");
  assert.is(thrown(() => stream.connect(`tcp://127.0.0.1:${at}`, { routingId: "server" })).code, "EADDRINUSE");
  accepted[0].destroy();
  assert.is(await next(stream), "server|");
  assert.is(await next(stream), "server|");
  await stream.send(["server", "again"]);
  assert.is(await octetsUntil(stream, "server", "AGAIN"), "AGAIN");
  for (const socket of accepted) socket.destroy();
  server.close();
});

it("without a given id each connection gets one", async () => {
  const binding = sockets.own(new Stream());
  const connecting = sockets.own(new Stream());
  await sockets.join(binding, connecting, "tcp");
  const [near] = await connecting.receive();
  const [far] = await binding.receive();
  assert.equal([near.length, far.length], [5, 5]);
  await connecting.send([near, "hello"]);
  assert.is(String((await binding.receive())[1]), "hello");
});

it("a client that reads nothing is waited for", async () => {
  const stream = sockets.own(new Stream({ sendHighWaterMark: 2 }));
  const { socket, heard } = await client(await sockets.bound(stream, "tcp"));
  const [id] = await stream.receive();
  socket.pause();
  const body = Buffer.alloc(3_000_000, "x");
  let sent = 0;
  let waiting: Promise<void>;
  for (;;) {
    waiting = stream.send([id, body]);
    sent++;
    if (await isPending(waiting, 50)) break;
  }
  socket.resume();
  await waiting;
  await eventually(() => heard().length === sent * body.length);
});

it("more than is read: the connection is not read on, and nothing is lost", async () => {
  const stream = sockets.own(new Stream({ receiveHighWaterMark: 3 }));
  const { socket } = await client(await sockets.bound(stream, "tcp"));
  const [id] = await stream.receive();
  const total = 20_000_000;
  socket.write(Buffer.alloc(total, "y"));
  await eventually(() => stream.readable);
  assert.ok(socket.writableLength > 0);
  let got = 0;
  while (got < total) {
    const [from, octets] = await stream.receive();
    assert.equal(from, id);
    got += octets.length;
  }
  assert.is(got, total);
  socket.destroy();
});

it("nobody there: it goes on trying, and close ends what is pending", async () => {
  const stream = sockets.own(new Stream({ reconnectInterval: 20 }));
  stream.connect(`tcp://127.0.0.1:${await freePort()}`);
  const pending = rejected(() => stream.receive());
  assert.ok(await isPending(pending, 60));
  stream.close();
  assert.is((await pending).code, "EAGAIN");
});

it("maxMessageSize cuts nothing: a chunk is a message, however small the limit", async () => {
  for (const maxMessageSize of [-1, 0, 1, 4, 1000]) {
    const stream = sockets.own(new Stream({ maxMessageSize, notify: false, receiveHighWaterMark: 2 }));
    const { socket } = await client(await sockets.bound(stream, "tcp"));
    const sent = Buffer.alloc(2 * 1024 * 1024, "octets of a stream");
    socket.write(sent);
    let [count, octets] = [0, 0];
    const hash = createHash("sha256");
    while (octets < sent.length) {
      const [, chunk] = await stream.receive();
      octets += chunk.length;
      count++;
      hash.update(chunk);
    }
    assert.is(hash.digest("hex"), createHash("sha256").update(sent).digest("hex"));
    // In pieces of 1000 octets it would be 2098.
    assert.ok(count < 1000, `${count} messages with ${maxMessageSize}`);
    sockets.closeAll();
  }
});

it("a client that stopped to be read goes on where it was", async () => {
  const stream = sockets.own(new Stream({ maxMessageSize: 3, notify: false, receiveHighWaterMark: 1 }));
  const { socket } = await client(await sockets.bound(stream, "tcp"));
  socket.write("first");
  await eventually(() => stream.readable);
  const rest = Buffer.alloc(500_000, "rest");
  socket.write(rest);
  assert.is(String((await stream.receive())[1]), "first");
  let octets = 0;
  while (octets < rest.length) octets += (await stream.receive())[1].length;
  assert.is(octets, rest.length);
});

it.run();
