/**
 * The grammar of addresses, row by row.
 */
import { ErrnoError } from "../../src/base/errors.ts";
import { type EndpointUse, formatHostPort, parseEndpoint } from "../../src/transport/endpoint.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("transport/endpoint");

function codeOf(address: string, use: EndpointUse): string {
  try {
    parseEndpoint(address, use);
    return "ok";
  } catch (error) {
    assert.instance(error, ErrnoError);
    assert.is((error as ErrnoError).address, address);
    assert.ok((error as ErrnoError).errno > 0);
    return (error as ErrnoError).code;
  }
}

/** Address, outcome of bind, outcome of connect. */
const rows: [string, string, string][] = [
  // Schemes.
  ["", "EINVAL", "EINVAL"],
  ["tcp", "EINVAL", "EINVAL"],
  ["tcp:", "EINVAL", "EINVAL"],
  ["tcp:/127.0.0.1:1", "EINVAL", "EINVAL"],
  ["127.0.0.1:5555", "EINVAL", "EINVAL"],
  ["://127.0.0.1:5555", "EINVAL", "EINVAL"],
  ["TCP://127.0.0.1:5555", "EPROTONOSUPPORT", "EPROTONOSUPPORT"],
  [" tcp://127.0.0.1:5555", "EPROTONOSUPPORT", "EPROTONOSUPPORT"],
  ["foo://127.0.0.1:5555", "EPROTONOSUPPORT", "EPROTONOSUPPORT"],
  ["foo://", "EINVAL", "EINVAL"],
  ["wss://127.0.0.1:5555", "EPROTONOSUPPORT", "EPROTONOSUPPORT"],
  ["__proto__://x", "EPROTONOSUPPORT", "EPROTONOSUPPORT"],
  ["udp://127.0.0.1:5555", "ok", "ok"],
  // tcp: hosts.
  ["tcp://127.0.0.1:5555", "ok", "ok"],
  ["tcp://*:5555", "ok", "EINVAL"],
  ["tcp://:5555", "ok", "EINVAL"],
  ["tcp://localhost:5555", "ok", "ok"],
  ["tcp://eth0:5555", "ok", "ok"],
  ["tcp://eth0.100:5555", "ok", "ok"],
  ["tcp://br-0a1b:5555", "ok", "ok"],
  ["tcp://my_host.example.org.:5555", "ok", "ok"],
  ["tcp://[::1]:5555", "ok", "ok"],
  ["tcp://[::]:5555", "ok", "ok"],
  ["tcp://[::ffff:127.0.0.1]:5555", "ok", "ok"],
  ["tcp://[fe80::1%eth0]:5555", "ok", "ok"],
  ["tcp://[127.0.0.1]:5555", "ok", "ok"],
  ["tcp://[localhost]:5555", "EINVAL", "EINVAL"],
  ["tcp://[]:5555", "EINVAL", "EINVAL"],
  ["tcp://[::1:5555", "EINVAL", "EINVAL"],
  ["tcp://::1]:5555", "EINVAL", "EINVAL"],
  ["tcp://::1:5555", "EINVAL", "EINVAL"],
  ["tcp://[::1]", "EINVAL", "EINVAL"],
  ["tcp://-host:5555", "EINVAL", "EINVAL"],
  ["tcp://.host:5555", "EINVAL", "EINVAL"],
  ["tcp://ho st:5555", "EINVAL", "EINVAL"],
  ["tcp://host :5555", "EINVAL", "EINVAL"],
  ["tcp:// host:5555", "EINVAL", "EINVAL"],
  ["tcp://h\u00f6st:5555", "EINVAL", "EINVAL"],
  ["tcp://ho/st:5555", "EINVAL", "EINVAL"],
  ["tcp://user@host:5555", "EINVAL", "EINVAL"],
  ["tcp://host\0:5555", "EINVAL", "EINVAL"],
  [`tcp://${"h".repeat(253)}:5555`, "ok", "ok"],
  [`tcp://${"h".repeat(254)}:5555`, "EINVAL", "EINVAL"],
  // tcp: ports.
  ["tcp://127.0.0.1", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:", "EINVAL", "EINVAL"],
  ["tcp://*", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:*", "ok", "EINVAL"],
  ["tcp://*:*", "ok", "EINVAL"],
  ["tcp://127.0.0.1:0", "ok", "ok"],
  ["tcp://127.0.0.1:65535", "ok", "ok"],
  ["tcp://127.0.0.1:65536", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:70000", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:99999", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:005555", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:4294967297", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:5x5", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:x", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:-1", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:+1", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:1e3", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:0x50", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1: 80", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:80 ", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:80\n", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:80/", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:80/path", "EINVAL", "EINVAL"],
  ["tcp://127.0.0.1:\u0665", "EINVAL", "EINVAL"],
  // tcp: source;destination.
  ["tcp://127.0.0.1:0;127.0.0.1:5555", "EINVAL", "ok"],
  ["tcp://127.0.0.1:*;127.0.0.1:5555", "EINVAL", "ok"],
  ["tcp://*:6000;host:5555", "EINVAL", "ok"],
  ["tcp://lo:0;host:5555", "EINVAL", "ok"],
  ["tcp://[::1]:0;[::1]:5555", "EINVAL", "ok"],
  ["tcp://lo;host:5555", "EINVAL", "EINVAL"],
  ["tcp://:0;host:5555", "EINVAL", "EINVAL"],
  ["tcp://;host:5555", "EINVAL", "EINVAL"],
  ["tcp://lo:0;", "EINVAL", "EINVAL"],
  ["tcp://lo:0;*:5555", "EINVAL", "EINVAL"],
  ["tcp://lo:0;host:*", "EINVAL", "EINVAL"],
  ["tcp://lo:0;lo:0;host:5555", "EINVAL", "EINVAL"],
  // ipc.
  ["ipc://", "EINVAL", "EINVAL"],
  ["ipc:///tmp/x", "ok", "ok"],
  ["ipc://x", "ok", "ok"],
  ["ipc://with blank:and/odd*signs", "ok", "ok"],
  ["ipc://*", "ok", "EINVAL"],
  ["ipc://@", "EINVAL", "EINVAL"],
  ["ipc://@x", "ok", "ok"],
  ["ipc://x\0y", "EINVAL", "EINVAL"],
  // inproc.
  ["inproc://", "EINVAL", "EINVAL"],
  ["inproc://x", "ok", "ok"],
  ["inproc:// any : thing / *", "ok", "ok"],
  // ws.
  ["ws://127.0.0.1:80", "ok", "ok"],
  ["ws://*:*/path", "ok", "EINVAL"],
  ["ws://[::1]:80/a/b?c", "ok", "ok"],
  ["ws://host", "EINVAL", "EINVAL"],
  ["ws://host/path:80", "EINVAL", "EINVAL"],
  ["ws://host:80/a b", "EINVAL", "EINVAL"],
];

it("bind and connect accept and refuse what the tables say", () => {
  for (const [address, bind, connect] of rows) {
    assert.is(codeOf(address, "bind"), bind, `bind ${JSON.stringify(address)}`);
    assert.is(codeOf(address, "connect"), connect, `connect ${JSON.stringify(address)}`);
  }
});

it("takes a tcp address apart", () => {
  assert.equal(parseEndpoint("tcp://*:*", "bind"), {
    scheme: "tcp",
    address: "tcp://*:*",
    host: "*",
    port: 0,
    family: 0,
  });
  assert.equal(parseEndpoint("tcp://[fe80::1%lo]:05", "connect"), {
    scheme: "tcp",
    address: "tcp://[fe80::1%lo]:05",
    host: "fe80::1%lo",
    port: 5,
    family: 6,
  });
  assert.equal(parseEndpoint("tcp://eth0:7;10.0.0.1:5555", "connect"), {
    scheme: "tcp",
    address: "tcp://eth0:7;10.0.0.1:5555",
    host: "10.0.0.1",
    port: 5555,
    family: 4,
    source: { host: "eth0", port: 7, family: 0 },
  });
});

it("takes ipc, inproc, udp and ws addresses apart", () => {
  assert.equal(parseEndpoint("ipc://a/b", "bind"), { scheme: "ipc", address: "ipc://a/b", kind: "path", path: "a/b" });
  assert.equal(parseEndpoint("ipc://*", "bind"), { scheme: "ipc", address: "ipc://*", kind: "wildcard", path: "*" });
  assert.equal(parseEndpoint("ipc://@n", "bind"), { scheme: "ipc", address: "ipc://@n", kind: "abstract", path: "n" });
  assert.equal(parseEndpoint("inproc://a//b", "bind"), { scheme: "inproc", address: "inproc://a//b", name: "a//b" });
  assert.equal(parseEndpoint("udp://x", "bind"), { scheme: "udp", address: "udp://x" });
  assert.equal(parseEndpoint("ws://h:80/p?q", "connect"), {
    scheme: "ws",
    address: "ws://h:80/p?q",
    host: "h",
    port: 80,
    family: 0,
    path: "/p?q",
  });
  assert.is((parseEndpoint("ws://h:80", "connect") as { path?: string }).path, "/");
});

it("ipc paths have as many octets as the system's addresses", () => {
  const limit = process.platform === "linux" ? 107 : 103;
  for (const first of ["/", "a", "@"]) {
    assert.is(codeOf(`ipc://${first}${"x".repeat(limit - 1)}`, "bind"), "ok");
    assert.is(codeOf(`ipc://${first}${"x".repeat(limit)}`, "bind"), "ENAMETOOLONG");
    assert.is(codeOf(`ipc://${first}${"x".repeat(limit)}`, "connect"), "ENAMETOOLONG");
  }
  assert.is(codeOf(`ipc://${"\u00e4".repeat((limit + 1) / 2)}`, "bind"), "ENAMETOOLONG");
});

it("hosts and ports are written with IPv6 in brackets", () => {
  assert.is(formatHostPort("127.0.0.1", 1), "127.0.0.1:1");
  assert.is(formatHostPort("::ffff:127.0.0.1", 1), "[::ffff:127.0.0.1]:1");
});

it("is not slow on long hostile input", () => {
  for (const piece of ["a.", "[", ":", ";", "1", "a-", "://"]) {
    const code = codeOf(`tcp://${piece.repeat(100_000)}:1`, "connect");
    assert.is(code, "EINVAL");
  }
});

it.run();
