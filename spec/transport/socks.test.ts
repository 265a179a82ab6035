/**
 * SOCKS 5, RFC 1928 and 1929: every exchange whole and byte by byte, every refusal, and a proxy that really connects.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { ErrnoError } from "../../src/base/errors.ts";
import { type ConnectOptions, connectStream } from "../../src/transport/connect.ts";
import { parseEndpoint, type TcpEndpoint } from "../../src/transport/endpoint.ts";
import type { NetStream } from "../../src/transport/net-stream.ts";
import { SocksHandshake } from "../../src/transport/socks.ts";
import { assert, suite } from "../helpers/test.ts";
import { turns } from "../helpers/wait.ts";
import { Log, optionsWith } from "./pair.ts";

const it = suite("transport/socks");

function endpointOf(address: string): TcpEndpoint {
  return parseEndpoint(address, "connect") as TcpEndpoint;
}

function handshake(address: string, username = "", password = ""): SocksHandshake {
  return new SocksHandshake(address, endpointOf(address), username, password);
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(" ", ""), "hex");
}

/** Feeds `bytes` whole, or one at a time, and collects the answers. */
function feed(socks: SocksHandshake, bytes: Buffer, step: number): string {
  const answers: Buffer[] = [];
  for (let i = 0; i < bytes.length; i += step) {
    const answer = socks.receive(bytes.subarray(i, i + step));
    if (answer !== undefined) answers.push(answer);
  }
  return Buffer.concat(answers).toString("hex");
}

/** Address, the request that it makes. */
const requests: [string, string][] = [
  ["tcp://1.2.3.4:258", "05010001 01020304 0102"],
  ["tcp://host.example:80", `05010003 0c ${Buffer.from("host.example").toString("hex")} 0050`],
  ["tcp://[::1]:80", "05010004 00000000000000000000000000000001 0050"],
  ["tcp://[::]:80", "05010004 00000000000000000000000000000000 0050"],
  ["tcp://[fe80::12:abcd%eth0]:80", "05010004 fe80000000000000000000000012abcd 0050"],
  ["tcp://[1:2:3:4:5:6:7:8]:80", "05010004 00010002000300040005000600070008 0050"],
  ["tcp://[::ffff:1.2.3.4]:80", "05010004 00000000000000000000ffff01020304 0050"],
];

/** What a proxy may say it is bound to. */
const bound = ["01 7f000001 1234", "03 03 616263 1234", "03 00 1234", `04 ${"00".repeat(16)} 1234`];

it("without name: offers no authentication, then asks for the target (RFC 1928, 3 and 4)", () => {
  for (const [address, request] of requests) {
    const socks = handshake(address);
    assert.is(socks.start().toString("hex"), "050100");
    assert.is(socks.rest, undefined);
    assert.is(feed(socks, hex("0500"), 1), hex(request).toString("hex"));
  }
});

it("takes every form of reply, and leaves the peer's bytes alone (RFC 1928, 6)", () => {
  for (const form of bound) {
    for (const step of [1, 3, 1000]) {
      for (const rest of ["", "ff00000000000000017f"]) {
        const socks = handshake("tcp://1.2.3.4:1");
        feed(socks, hex("0500"), step);
        const reply = hex(`050000 ${form}`);
        for (let i = 0; i < reply.length - 1; i++) {
          const early = handshake("tcp://1.2.3.4:1");
          feed(early, hex("0500"), step);
          feed(early, reply.subarray(0, i), step);
          assert.is(early.rest, undefined);
        }
        // What comes after the end is handed on, not parsed.
        feed(socks, reply.subarray(0, -1), step);
        assert.is(socks.receive(Buffer.concat([reply.subarray(-1), hex(rest)])), undefined);
        assert.is(socks.rest?.toString("hex"), rest);
      }
    }
  }
});

it("with a name: offers both methods, and gives name and password when asked (RFC 1929)", () => {
  for (const step of [1, 1000]) {
    const socks = handshake("tcp://1.2.3.4:1", "me", "secret");
    assert.is(socks.start().toString("hex"), "05020002");
    assert.is(feed(socks, hex("0502"), step), "01026d6506736563726574");
    assert.is(feed(socks, hex("0100"), step), "05010001010203040001");
    assert.is(handshake("tcp://1.2.3.4:1", "me", "secret").receive(hex("0500"))?.length, 10);
  }
});

it("refuses names and passwords that do not fit", () => {
  handshake("tcp://1.2.3.4:1", "x".repeat(255), "y".repeat(255));
  for (const [name, password] of [
    ["x".repeat(256), ""],
    ["x", "y".repeat(256)],
    ["\u00e4".repeat(128), ""],
  ]) {
    assert.throws(
      () => handshake("tcp://1.2.3.4:1", name, password),
      (error: ErrnoError) => error.code === "EINVAL",
    );
  }
});

it("tells refusals and nonsense apart", () => {
  const rows: [string[], string][] = [
    [["0400"], "EPROTO"],
    [["4854"], "EPROTO"],
    [["05ff"], "EACCES"],
    [["0501"], "EACCES"],
    [["0500", "0501"], "ECONNREFUSED"],
    [["0500", "0502"], "EACCES"],
    [["0500", "0503"], "ENETUNREACH"],
    [["0500", "0504"], "EHOSTUNREACH"],
    [["0500", "05050001000000000000"], "ECONNREFUSED"],
    [["0500", "0506"], "ETIMEDOUT"],
    [["0500", "0507"], "ENOTSUP"],
    [["0500", "0508"], "ENOTSUP"],
    [["0500", "05ff"], "ECONNREFUSED"],
    [["0500", "0400"], "EPROTO"],
    [["0500", "0500000200"], "EPROTO"],
    [["0502", "0101"], "EACCES"],
  ];
  for (const [chunks, code] of rows) {
    const withName = chunks[0] === "0502";
    const socks = handshake("tcp://h:1", withName ? "me" : "", "");
    let thrown: ErrnoError | undefined;
    try {
      for (const chunk of chunks) feed(socks, hex(chunk), 1);
    } catch (error) {
      thrown = error as ErrnoError;
    }
    assert.instance(thrown, ErrnoError, chunks.join());
    assert.is(thrown?.code, code, chunks.join());
    assert.is(thrown?.address, "tcp://h:1");
    assert.match(thrown?.message ?? "", /SOCKS/);
  }
  assert.throws(() => handshake("tcp://h:1").receive(hex("0502")), /another way/);
});

/** A small proxy: connects, or answers what it is told to. */
async function proxy(script?: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (script !== undefined) {
      script(socket);
      return;
    }
    socket.once("data", () => {
      socket.write(hex("0500"));
      socket.once("data", (request: Buffer) => {
        const name = request.subarray(5, 5 + request[4]).toString();
        const port = request.readUInt16BE(5 + request[4]);
        const target = connect({ host: name, port, family: 4 });
        target.on("error", () => socket.end(hex("0505000100000000 0000")));
        target.once("data", (first: Buffer) => {
          socket.write(Buffer.concat([hex("050000017f0000010001"), first]));
          target.pipe(socket).pipe(target);
        });
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function attempt(address: string, options: Partial<ConnectOptions>, log = new Log()): Promise<NetStream | ErrnoError> {
  return new Promise((fulfil) => {
    const onConnect = (stream: NetStream): void => {
      stream.handler = log;
      fulfil(stream);
    };
    connectStream(endpointOf(address), optionsWith(options), { onConnect, onFail: fulfil });
  });
}

it("connects through a proxy, which resolves the name, and gets the peer's first bytes", async () => {
  const target = createServer((socket) => {
    socket.write("first ");
    socket.on("data", (chunk) => socket.end(chunk));
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  const server = await proxy();
  for (const host of ["127.0.0.1", "localhost"]) {
    const log = new Log();
    const options = { socksProxy: `${host}:${portOf(server)}` };
    const result = await attempt(`tcp://localhost:${portOf(target)}`, options, log);
    assert.not.instance(result, ErrnoError);
    const stream = result as NetStream;
    stream.write(Buffer.from("second"));
    await log.ended;
    assert.is(log.text, "first second");
  }
  server.close();
  target.close();
});

it("a proxy that is not there, refuses, is none, hangs up, or says nothing", async () => {
  const rows: [((socket: Socket) => void) | undefined, string, Partial<ConnectOptions>?][] = [
    [(socket) => socket.once("data", () => socket.write(hex("05ff"))), "EACCES"],
    [(socket) => socket.once("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")), "EPROTO"],
    [(socket) => socket.resume().end(), "ECONNRESET"],
    [(socket) => void socket.once("data", () => socket.end(hex("0500"))), "ECONNRESET"],
    [(socket) => void socket.resume(), "ETIMEDOUT", { connectTimeout: 100 }],
    [undefined, "ECONNREFUSED"],
  ];
  for (const [script, code, options] of rows) {
    const server = await proxy(script);
    // Nothing listens on the proxy's own discard port.
    const result = await attempt("tcp://localhost:9", { socksProxy: `127.0.0.1:${portOf(server)}`, ...options });
    assert.instance(result, ErrnoError);
    assert.is((result as ErrnoError).code, code);
    assert.is((result as ErrnoError).address, "tcp://localhost:9");
    server.close();
  }
  for (const [socksProxy, code] of [
    ["127.0.0.1:1", "ECONNREFUSED"],
    ["127.0.0.1", "EINVAL"],
    [":1080", "EINVAL"],
    ["127.0.0.1:*", "EINVAL"],
    ["does-not-exist.invalid:1080", "EHOSTUNREACH"],
  ]) {
    assert.is(((await attempt("tcp://localhost:9", { socksProxy })) as ErrnoError).code, code, socksProxy);
  }
});

it("may be given up at any time", async () => {
  const server = await proxy((socket) => void socket.resume());
  for (const later of [0, 1, 2, 5, 50]) {
    const running = connectStream(
      endpointOf("tcp://localhost:9"),
      optionsWith({ socksProxy: `127.0.0.1:${portOf(server)}` }),
      { onConnect: () => assert.unreachable(), onFail: () => assert.unreachable() },
    );
    await turns(later);
    running.cancel();
  }
  await turns();
  server.close();
});

it.run();
