/**
 * Attempts to connect: what is tried, what is reported, and that it can be given up at any moment.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ErrnoError } from "../../src/base/errors.ts";
import { type ConnectOptions, connectStream } from "../../src/transport/connect.ts";
import { type IpcEndpoint, parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import type { NetStream } from "../../src/transport/net-stream.ts";
import { Child } from "../helpers/child.ts";
import { Clock } from "../helpers/clock.ts";
import { rejected } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";
import { descriptors, Log, optionsWith } from "./pair.ts";

const it = suite("transport/connect");
const clock = new Clock(it);
const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));

function endpointOf(address: string): TcpEndpoint | IpcEndpoint {
  return parseEndpoint(address, "connect") as TcpEndpoint | IpcEndpoint;
}

/** One attempt: the stream, or the error. */
function attempt(address: string, options: Partial<ConnectOptions> = {}): Promise<NetStream | ErrnoError> {
  return new Promise((fulfil) => {
    let isInside = true;
    const settle = (result: NetStream | ErrnoError): void => {
      assert.is(isInside, false, "called back inside the call");
      fulfil(result);
    };
    connectStream(endpointOf(address), optionsWith(options), { onConnect: settle, onFail: settle });
    isInside = false;
  });
}

async function failure(address: string, options: Partial<ConnectOptions> = {}): Promise<ErrnoError> {
  const result = await attempt(address, options);
  if (!(result instanceof ErrnoError)) result.destroy();
  assert.instance(result, ErrnoError);
  assert.is((result as ErrnoError).address, address);
  assert.ok((result as ErrnoError).errno > 0);
  return result as ErrnoError;
}

async function success(address: string, options: Partial<ConnectOptions> = {}): Promise<NetStream> {
  const result = await attempt(address, options);
  if (result instanceof ErrnoError) throw result;
  return result;
}

/** A listener that closes what it accepts when the peer does. */
async function listener(target: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  server.listen(target);
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = await listener({ port: 0, host: "127.0.0.1" });
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

/** A port of which nothing comes back: its kernel queue is full. */
async function silentPort(): Promise<{ port: number; child: ChildProcess }> {
  const path = fileURLToPath(new URL("./silent.child.mjs", import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "inherit"] });
  const [text] = (await once(child.stdout!, "data")) as [Buffer];
  const port = Number(text.toString());
  const fill = (): Socket => connect({ port, host: "127.0.0.1" }).on("error", () => {});
  await Promise.all([fill(), fill()].map((socket) => once(socket.unref(), "connect")));
  fill().unref();
  return { port, child };
}

it("connects to a literal and to a name, and tells both addresses", async () => {
  const server = await listener({ port: 0, host: "127.0.0.1" });
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
    const stream = await success(`tcp://${host}:${portOf(server)}`);
    assert.is(stream.peerAddress, "127.0.0.1");
    assert.match(stream.localAddress, /^tcp:\/\/127\.0\.0\.1:\d+$/);
    stream.destroy();
  }
  server.close();
});

it("connects to an ipc path, relative or not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zmtp-"));
  const server = await listener({ path: join(folder, "a") });
  const stream = await success(`ipc://${folder}/a`);
  assert.is(stream.localAddress, `ipc://${folder}/a`);
  assert.is(stream.peerAddress, "localhost");
  stream.destroy();
  const back = process.cwd();
  process.chdir(folder);
  const other = await success("ipc://a").finally(() => process.chdir(back));
  assert.is(other.localAddress, "ipc://a");
  other.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

it("nobody there: ECONNREFUSED, and ENOENT for a path", async () => {
  const port = await freePort();
  const refused = await failure(`tcp://127.0.0.1:${port}`);
  assert.is(refused.code, "ECONNREFUSED");
  assert.is(refused.errno, 111);
  assert.is((await failure("ipc:///nowhere/at/all")).code, "ENOENT");
  const folder = mkdtempSync(join(tmpdir(), "zmtp-"));
  writeFileSync(join(folder, "file"), "");
  assert.is((await failure(`ipc://${folder}/file`)).code, "ECONNREFUSED");
  assert.is((await failure(`ipc://${folder}/file/x`)).code, "ENOTDIR");
  rmSync(folder, { recursive: true });
});

it("port 0 fails later, as any other port without a listener", async () => {
  const { code } = await failure("tcp://127.0.0.1:0");
  assert.ok(code === "ECONNREFUSED" || code === "EADDRNOTAVAIL", code);
});

it("a host that does not exist: EHOSTUNREACH with the resolver's error as the cause", async () => {
  const error = await failure("tcp://does-not-exist.invalid:5555");
  assert.is(error.code, "EHOSTUNREACH");
  assert.ok(error.cause instanceof Error);
});

it("IPv6 only with the option", async () => {
  assert.is((await failure("tcp://[::1]:5555", { ipv6: false })).code, "EHOSTUNREACH");
  if (!hasIpv6) return;
  const server = await listener({ port: 0, host: "::1" });
  const stream = await success(`tcp://[::1]:${portOf(server)}`, { ipv6: true });
  assert.is(stream.peerAddress, "::1");
  assert.match(stream.localAddress, /^tcp:\/\/\[::1\]:\d+$/);
  stream.destroy();
  server.close();
});

it("tries every address of a host", async () => {
  const server = await listener({ port: 0, host: "127.0.0.1" });
  const stream = await success(`tcp://localhost:${portOf(server)}`, { ipv6: true });
  assert.is(stream.peerAddress, "127.0.0.1");
  stream.destroy();
  server.close();
});

it("leaves from the given source", async () => {
  const server = await listener({ port: 0, host: "127.0.0.1" });
  const port = portOf(server);
  const source = await freePort();
  const stream = await success(`tcp://127.0.0.1:${source};127.0.0.1:${port}`);
  assert.is(stream.localAddress, `tcp://127.0.0.1:${source}`);
  const again = await failure(`tcp://127.0.0.1:${source};127.0.0.1:${port}`);
  assert.ok(again.code === "EADDRINUSE" || again.code === "EADDRNOTAVAIL", again.code);
  stream.destroy();
  for (const any of ["127.0.0.2:0", "127.0.0.2:*", "lo:0", "*:0"]) {
    if (any === "lo:0" && networkInterfaces().lo === undefined) continue;
    const other = await success(`tcp://${any};localhost:${port}`);
    assert.match(other.localAddress, any.startsWith("127") ? /127\.0\.0\.2:\d+$/ : /127\.0\.0\.1:\d+$/);
    other.destroy();
  }
  assert.is((await failure(`tcp://no-such-nic:0;127.0.0.1:${port}`)).code, "ENODEV");
  assert.is((await failure(`tcp://203.0.113.7:0;127.0.0.1:${port}`)).code, "EADDRNOTAVAIL");
  assert.is((await failure(`tcp://[::1]:0;127.0.0.1:${port}`, { ipv6: true })).code, "ENODEV");
  server.close();
});

it("does not take itself for a peer", async () => {
  const port = await freePort();
  const { code } = await failure(`tcp://127.0.0.1:${port};127.0.0.1:${port}`);
  assert.is(code, "ECONNREFUSED");
});

it("connectTimeout ends an attempt that gets no answer", async () => {
  const { port, child } = await silentPort();
  clock.stop();
  let isOver = false;
  const ended = attempt(`tcp://127.0.0.1:${port}`, { connectTimeout: 100 }).then((result) => {
    isOver = true;
    return result;
  });
  await clock.advance(99);
  assert.not(isOver);
  await clock.advance(1);
  assert.is(((await ended) as ErrnoError).code, "ETIMEDOUT");
  child.kill();
});

it("cancel is safe at any moment, and nothing is told afterwards", async () => {
  clock.stop();
  const server = await listener({ port: 0, host: "127.0.0.1" });
  const port = portOf(server);
  const refused = await freePort();
  const later: ((cancel: () => void) => void)[] = [
    (cancel) => cancel(),
    (cancel) => process.nextTick(cancel),
    (cancel) => void Promise.resolve().then(cancel),
    (cancel) => setImmediate(cancel),
    (cancel) => setImmediate(() => setImmediate(cancel)),
    (cancel) => void clock.advance(5).then(cancel),
    (cancel) => void clock.advance(6).then(cancel),
  ];
  for (const address of [
    `tcp://127.0.0.1:${port}`,
    `tcp://localhost:${port}`,
    `tcp://[::1]:1`,
    `tcp://127.0.0.1:${refused}`,
    "ipc:///nowhere",
  ]) {
    for (const defer of later) {
      let isCancelled = false;
      const tell = (): void => assert.unreachable(`${address} told something after cancel`);
      const running = connectStream(endpointOf(address), optionsWith({ connectTimeout: 6 }), {
        onConnect: (stream) => (isCancelled ? tell() : stream.destroy()),
        onFail: () => isCancelled && tell(),
      });
      await new Promise<void>((fulfil) => {
        defer(() => {
          isCancelled = true;
          running.cancel();
          running.cancel();
          fulfil();
        });
      });
    }
  }
  await clock.advance(6);
  server.close();
});

it(
  "keeps no descriptor over 2,000 connections",
  async () => {
    const server = await listener({ port: 0, host: "127.0.0.1" });
    const address = `tcp://127.0.0.1:${portOf(server)}`;
    const cycle = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        const stream = await success(address);
        const log = new Log();
        stream.handler = log;
        if (i % 2 === 0) stream.destroy();
        else stream.end();
        await log.ended;
      }
    };
    await cycle(50);
    await eventually(() => descriptors() < 60);
    const before = descriptors();
    await cycle(2000);
    await eventually(() => descriptors() <= before + 2);
    server.close();
  },
  { timeout: 60_000 },
);

/** Runs held.child.ts. */
function held(what: string, port: number): Child {
  return new Child(new URL("./held.child.mjs", import.meta.url), what, String(port));
}

it("a connect without an answer does not keep the process alive", async () => {
  const { port, child } = await silentPort();
  const connecting = held("connect", port);
  for (const line of ["fail ETIMEDOUT", "loop empty"]) assert.is(await connecting.line(), line);
  assert.is((await connecting.ended).code, 0);
  child.kill();
});

it("a write that nobody reads keeps the process alive as long as somebody wants to wait for it", async () => {
  const server = createServer((socket) => socket.on("error", () => {}).pause());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Nobody is asked: messages are not given up.
  const writing = held("write", portOf(server));
  await once(server, "connection");
  const asked = held("asked write", portOf(server));
  for (const line of ["end after 3", "loop empty"]) assert.is(await asked.line(), line);
  assert.is((await asked.ended).code, 0);
  assert.not(writing.isOver);
  await writing.kill();
  assert.match((await rejected(() => writing.line())).message, /said nothing more/);
  server.close();
});

it.run();
