/**
 * Listening over tcp: where it ends up, how it fails, and that the synchronous way is synchronous. Each row runs in
 * each way that there is.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";
import { ErrnoError } from "../../src/base/errors.ts";
import { connectStream } from "../../src/transport/connect.ts";
import { parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import {
  type ListenHandler,
  type ListenOptions,
  listen,
  listenSync,
  type NetServer,
} from "../../src/transport/listen.ts";
import type { NetStream } from "../../src/transport/net-stream.ts";
import { internals } from "../../src/transport/open-server.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turns } from "../helpers/wait.ts";
import { descriptors, Log, optionsWith } from "./pair.ts";

const it = suite("transport/listen");
const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));
const hasLo = networkInterfaces().lo !== undefined;

class Acceptor implements ListenHandler {
  readonly streams: NetStream[] = [];
  readonly errors: ErrnoError[] = [];
  readonly logs: Log[] = [];

  onStream(stream: NetStream): void {
    const log = new Log();
    stream.handler = log;
    this.streams.push(stream);
    this.logs.push(log);
  }

  onError(error: ErrnoError): void {
    this.errors.push(error);
  }
}

function endpointOf(address: string): TcpEndpoint {
  return parseEndpoint(address, "bind") as TcpEndpoint;
}

type Way = (address: string, options?: Partial<ListenOptions>, handler?: ListenHandler) => Promise<NetServer>;

const ways: Record<string, Way> = {
  listen: (address, options, handler = new Acceptor()) => listen(endpointOf(address), optionsWith(options), handler),
  listenSync: async (address, options, handler = new Acceptor()) =>
    listenSync(endpointOf(address), optionsWith(options), handler),
};

async function failureOf(start: () => Promise<NetServer>): Promise<string> {
  let server: NetServer;
  try {
    server = await start();
  } catch (error) {
    assert.instance(error, ErrnoError);
    assert.ok((error as ErrnoError).errno > 0);
    assert.ok((error as ErrnoError).address !== undefined);
    return (error as ErrnoError).code;
  }
  server.close();
  return "ok";
}

/** Connects to what `address` says, and gives the peer. */
async function reach(address: string): Promise<Socket> {
  const [, host, port] = /^tcp:\/\/(.*):(\d+)$/.exec(address) as RegExpExecArray;
  const peer = connect({ host: host.replace(/[[\]]/g, "").replace("0.0.0.0", "127.0.0.1"), port: Number(port) });
  peer.on("error", () => {});
  await once(peer, "connect");
  return peer;
}

/** Address, ipv6, what `lastEndpoint` is. */
const places: [string, boolean, RegExp][] = [
  ["tcp://*:*", false, /^tcp:\/\/0\.0\.0\.0:[1-9]\d*$/],
  ["tcp://*:0", false, /^tcp:\/\/0\.0\.0\.0:[1-9]\d*$/],
  ["tcp://0.0.0.0:*", false, /^tcp:\/\/0\.0\.0\.0:[1-9]\d*$/],
  ["tcp://127.0.0.1:0", false, /^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/],
  ["tcp://localhost:*", false, /^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/],
  ["tcp://LocalHost:*", false, /^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/],
  ["tcp://[127.0.0.1]:*", false, /^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/],
  ["tcp://[::ffff:127.0.0.1]:*", false, /^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/],
];
if (hasLo) places.push(["tcp://lo:*", false, /^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/]);
if (hasIpv6) {
  places.push(
    ["tcp://*:*", true, /^tcp:\/\/\[::\]:[1-9]\d*$/],
    ["tcp://[::]:*", true, /^tcp:\/\/\[::\]:[1-9]\d*$/],
    ["tcp://[::1]:*", true, /^tcp:\/\/\[::1\]:[1-9]\d*$/],
    ["tcp://127.0.0.1:*", true, /^tcp:\/\/\[::ffff:127\.0\.0\.1\]:[1-9]\d*$/],
    ["tcp://[::ffff:127.0.0.1]:*", true, /^tcp:\/\/\[::ffff:127\.0\.0\.1\]:[1-9]\d*$/],
    ["tcp://localhost:*", true, /^tcp:\/\/\[(::1|::ffff:127\.0\.0\.1)\]:[1-9]\d*$/],
  );
}

for (const [name, way] of Object.entries(ways)) {
  it(`${name}: every form of address ends up where it should, and can be reached there`, async () => {
    for (const [address, ipv6, expected] of places) {
      const acceptor = new Acceptor();
      const server = await way(address, { ipv6 }, acceptor);
      assert.match(server.address, expected, `${address} ${ipv6}`);
      const peer = await reach(server.address);
      await eventually(() => acceptor.streams.length === 1);
      peer.end("hello");
      await acceptor.logs[0].ended;
      assert.is(acceptor.logs[0].text, "hello");
      server.close();
      server.close();
      peer.destroy();
    }
  });

  it(`${name}: failures`, async () => {
    const rows: [string, boolean, string][] = [
      ["tcp://:5555", false, "ENODEV"],
      ["tcp://[::1]:5555", false, "ENODEV"],
      ["tcp://[::]:5555", false, "ENODEV"],
      ["tcp://does-not-exist.invalid:*", false, "ENODEV"],
      ["tcp://no-such-nic0:*", false, "ENODEV"],
      ["tcp://203.0.113.7:*", false, "EADDRNOTAVAIL"],
      ["tcp://203.0.113.7:*", true, "EADDRNOTAVAIL"],
    ];
    for (const [address, ipv6, code] of rows) {
      assert.is(await failureOf(() => way(address, { ipv6 })), code, address);
    }
  });

  it(`${name}: a port that is taken`, async () => {
    for (const ipv6 of hasIpv6 ? [false, true] : [false]) {
      const first = await way("tcp://127.0.0.1:*", { ipv6 });
      const port = /\d+$/.exec(first.address)![0];
      for (const host of ["127.0.0.1", "*"]) {
        assert.is(await failureOf(() => way(`tcp://${host}:${port}`, { ipv6 })), "EADDRINUSE", host);
      }
      const error = await way(`tcp://127.0.0.1:${port}`, { ipv6 }).then(undefined, (thrown: ErrnoError) => thrown);
      assert.is((error as ErrnoError).address, `tcp://127.0.0.1:${port}`);
      assert.is((error as ErrnoError).errno, 98);
      assert.is((error as ErrnoError).message, "Address already in use");
      first.close();
      const second = await way(`tcp://127.0.0.1:${port}`, { ipv6 });
      second.close();
    }
  });

  it(`${name}: failures leave no descriptor`, async () => {
    const first = await way("tcp://127.0.0.1:*");
    const rounds = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        assert.is(await failureOf(() => way(first.address)), "EADDRINUSE");
        assert.is(await failureOf(() => way("tcp://203.0.113.7:*")), "EADDRNOTAVAIL");
        assert.is(await failureOf(() => way("tcp://127.0.0.1:*")), "ok");
      }
    };
    await rounds(2);
    await turns();
    const before = descriptors();
    await rounds(50);
    await eventually(() => descriptors() <= before);
    first.close();
  });
}

it("listenSync throws and has its address at once", () => {
  const acceptor = new Acceptor();
  const server = listenSync(endpointOf("tcp://127.0.0.1:*"), optionsWith(), acceptor);
  assert.throws(
    () => listenSync(endpointOf(server.address), optionsWith(), acceptor),
    (error: ErrnoError) => error instanceof ErrnoError && error.code === "EADDRINUSE",
  );
  server.close();
  const again = listenSync(endpointOf(server.address), optionsWith(), acceptor);
  assert.is(again.address, server.address);
  again.close();
});

it("listenSync without Node's inner function: every interface works, one address is not supported", async () => {
  const { createServerHandle } = internals;
  internals.createServerHandle = undefined;
  try {
    const acceptor = new Acceptor();
    const server = listenSync(endpointOf("tcp://*:*"), optionsWith(), acceptor);
    assert.match(server.address, /^tcp:\/\/0\.0\.0\.0:[1-9]\d*$/);
    assert.throws(
      () => listenSync(endpointOf(server.address), optionsWith(), acceptor),
      (error: ErrnoError) => error.code === "EADDRINUSE",
    );
    assert.throws(
      () => listenSync(endpointOf("tcp://127.0.0.1:*"), optionsWith(), acceptor),
      (error: ErrnoError) => error.code === "ENOTSUP" && /use bind/.test(error.message),
    );
    const peer = await reach(server.address);
    await eventually(() => acceptor.streams.length === 1);
    peer.destroy();
    await acceptor.logs[0].ended;
    server.close();
    if (!hasIpv6) return;
    const six = listenSync(endpointOf("tcp://*:*"), optionsWith({ ipv6: true }), acceptor);
    assert.match(six.address, /^tcp:\/\/\[::\]:[1-9]\d*$/);
    six.close();
  } finally {
    internals.createServerHandle = createServerHandle;
  }
  await turns();
});

it("a dual-stack server takes IPv4 peers, whose address shows in its mapped form", async () => {
  if (!hasIpv6) return;
  const acceptor = new Acceptor();
  const server = await listen(endpointOf("tcp://*:*"), optionsWith({ ipv6: true }), acceptor);
  const peer = await reach(server.address.replace("[::]", "127.0.0.1"));
  await eventually(() => acceptor.streams.length === 1);
  assert.is(acceptor.streams[0].peerAddress, "::ffff:127.0.0.1");
  assert.match(acceptor.streams[0].localAddress, /^tcp:\/\/\[::ffff:127\.0\.0\.1\]:\d+$/);
  peer.destroy();
  server.close();
});

it("an accepted stream has its own end as localAddress, whatever was bound", async () => {
  const acceptor = new Acceptor();
  const server = await listen(endpointOf("tcp://*:*"), optionsWith(), acceptor);
  const peer = await reach(server.address);
  await eventually(() => acceptor.streams.length === 1);
  assert.is(acceptor.streams[0].localAddress, server.address.replace("0.0.0.0", "127.0.0.1"));
  assert.is(acceptor.streams[0].peerAddress, "127.0.0.1");
  peer.destroy();
  server.close();
});

it("accepted streams outlive their server", async () => {
  const acceptor = new Acceptor();
  const server = await listen(endpointOf("tcp://127.0.0.1:*"), optionsWith(), acceptor);
  const peer = await reach(server.address);
  await eventually(() => acceptor.streams.length === 1);
  server.close();
  await turns();
  peer.write("still here");
  await acceptor.logs[0].until(() => acceptor.logs[0].text === "still here");
  peer.destroy();
  await acceptor.logs[0].ended;
});

it("after close nobody gets in", async () => {
  for (const way of Object.values(ways)) {
    const acceptor = new Acceptor();
    const server = await way("tcp://127.0.0.1:*", {}, acceptor);
    server.close();
    const error = await reach(server.address).then(undefined, (thrown: Error) => thrown);
    assert.instance(error, Error);
    assert.is(acceptor.streams.length, 0);
  }
});

it("the options for keep-alive, backlog 0 and a large one are taken", async () => {
  for (const tcpKeepalive of [-1, 0, 1]) {
    for (const backlog of [0, 1, 100_000]) {
      for (const way of Object.values(ways)) {
        const acceptor = new Acceptor();
        const server = await way("tcp://127.0.0.1:*", { tcpKeepalive, tcpKeepaliveIdle: 30, backlog }, acceptor);
        const peer = await reach(server.address);
        await eventually(() => acceptor.streams.length === 1);
        peer.destroy();
        server.close();
      }
    }
  }
});

it("tcpAcceptFilter admits the ranges it names, and reports the rest", async () => {
  const rows: [string[], boolean][] = [
    [["127.0.0.1"], true],
    [["127.0.0.0/8"], true],
    [["10.0.0.0/8", "127.0.0.1/32"], true],
    [["0.0.0.0/0"], true],
    [["10.0.0.0/8"], false],
    [["::1"], false],
  ];
  for (const ipv6 of hasIpv6 ? [false, true] : [false]) {
    for (const [tcpAcceptFilter, admitted] of rows) {
      const acceptor = new Acceptor();
      const server = await listen(endpointOf("tcp://127.0.0.1:*"), optionsWith({ tcpAcceptFilter, ipv6 }), acceptor);
      const peer = await reach(server.address);
      await eventually(() => acceptor.streams.length + acceptor.errors.length === 1);
      assert.is(acceptor.streams.length, admitted ? 1 : 0, `${tcpAcceptFilter} ${ipv6}`);
      if (!admitted) assert.is(acceptor.errors[0].code, "EACCES");
      if (!admitted) await once(peer.resume(), "close");
      peer.destroy();
      server.close();
    }
  }
  assert.is(await failureOf(() => ways.listen("tcp://127.0.0.1:*", { tcpAcceptFilter: ["nonsense"] })), "EINVAL");
});

it("more peers than descriptors: the rest is turned away, and it goes on afterwards", async () => {
  if (process.platform === "win32") return;
  const path = fileURLToPath(new URL("./few-descriptors.child.mjs", import.meta.url));
  const child = spawn("sh", ["-c", `ulimit -n 250; exec "${process.execPath}" "${path}"`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  await eventually(() => output.endsWith("\n"));
  const port = Number(output.trim());
  let closed = 0;
  const peers = Array.from({ length: 400 }, () => {
    const peer = connect({ port, host: "127.0.0.1" });
    peer.on("error", () => {}).on("close", () => closed++);
    return peer.resume();
  });
  await eventually(() => closed > 100);
  for (const peer of peers) peer.destroy();
  await eventually(() => closed === 400);
  const late = connect({ port, host: "127.0.0.1" }).on("error", () => {});
  const [answer] = (await once(late, "data")) as [Buffer];
  assert.is(answer.toString(), "welcome");
  late.destroy();
  child.stdin!.end();
  const [code] = (await once(child, "exit")) as [number];
  assert.is(code, 0);
});

it("a connection of both ends of this package", async () => {
  const acceptor = new Acceptor();
  const server = listenSync(endpointOf("tcp://127.0.0.1:*"), optionsWith(), acceptor);
  const log = new Log();
  const stream = await new Promise<NetStream>((fulfil, reject) => {
    connectStream(endpointOf(server.address), optionsWith(), { onConnect: fulfil, onFail: reject });
  });
  stream.handler = log;
  await eventually(() => acceptor.streams.length === 1);
  const size = 20_000_000;
  acceptor.streams[0].write([Buffer.alloc(size / 2), Buffer.alloc(size / 2)]);
  acceptor.streams[0].end();
  await log.ended;
  assert.is(log.length, size);
  await acceptor.logs[0].ended;
  server.close();
});

it.run();
