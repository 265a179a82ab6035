/** The options as `zeromq` and libzmq have them: names, numbers, defaults, ranges and errors. */
import {
  defineAccessors,
  defineContextAccessors,
  getContextOption,
  getOption,
  type OptionsHost,
  setContextOption,
  setOption,
} from "../../src/options/access.ts";
import { createContextOptions, createOptions } from "../../src/options/defaults.ts";
import { NO_NUMBER } from "../../src/options/kinds.ts";
import { OPTION_BY_ID, OPTIONS } from "../../src/options/table.ts";
import {
  type OptionValues,
  SOCKET_TYPE_NAMES,
  SOCKET_TYPES,
  type SocketTypeName,
  snapshot,
} from "../../src/options/values.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("options/values");

/** Any option of a socket by its name, as a test wants to see it. */
type Open = Record<string, unknown>;

interface Made {
  readonly host: OptionsHost & { options: OptionValues; closed: boolean; attached: boolean; changed: string[] };
  readonly socket: Open;
}

/** A sealed socket of a type, with the accessors that its class has. */
function make(name: SocketTypeName, defaults = { blocky: true, ipv6: false }): Made {
  const changed: string[] = [];
  const host = {
    options: createOptions(SOCKET_TYPES[name], defaults),
    closed: false,
    attached: false,
    changed,
    pollEvents: 3,
    topicsCount: 7,
    setTopic(topic: Buffer, subscribe: boolean): void {
      topics.push(`${subscribe ? "+" : "-"}${topic}`);
    },
    sendLimitChanged: () => void changed.push("send"),
    receiveLimitChanged: () => void changed.push("receive"),
  };
  class Socket {}
  class Typed extends Socket {}
  defineAccessors(Socket.prototype, "every", () => host);
  defineAccessors(Typed.prototype, SOCKET_TYPES[name], () => host);
  return { host, socket: Object.seal(new Typed()) as Open };
}

const topics: string[] = [];

const INACCURATE = "Value is larger than Number.MAX_SAFE_INTEGER and may have been rounded inaccurately.";

function fails(body: () => unknown, code: string): void {
  try {
    body();
  } catch (error) {
    assert.is((error as { code?: string }).code, code);
    return;
  }
  assert.unreachable(`no ${code}`);
}

/** The process warnings that `body` gives. */
function warningsOf(body: () => void): string[] {
  const warnings: string[] = [];
  const emitWarning = process.emitWarning;
  process.emitWarning = ((text: string) => void warnings.push(text)) as typeof process.emitWarning;
  try {
    body();
  } finally {
    process.emitWarning = emitWarning;
  }
  return warnings;
}

function typeError(body: () => unknown, text: string): void {
  try {
    body();
  } catch (error) {
    assert.instance(error, TypeError);
    assert.is((error as Error).message, text);
    return;
  }
  assert.unreachable(`no "${text}"`);
}

it("socket types have libzmq's numbers", () => {
  assert.is(SOCKET_TYPES.PAIR, 0);
  assert.is(SOCKET_TYPES.STREAM, 11);
  assert.is(SOCKET_TYPES.CHANNEL, 20);
  assert.is(SOCKET_TYPE_NAMES[5], "DEALER");
  for (const [name, number] of Object.entries(SOCKET_TYPES)) assert.is(SOCKET_TYPE_NAMES[number], name);
});

it("defaults of what every socket has", () => {
  const { socket } = make("DEALER");
  const expected = {
    affinity: 0,
    rate: 100,
    recoveryInterval: 10000,
    type: 5,
    linger: -1,
    reconnectInterval: 100,
    backlog: 100,
    reconnectMaxInterval: 0,
    maxMessageSize: -1,
    lastEndpoint: null,
    tcpKeepalive: -1,
    tcpKeepaliveCount: -1,
    tcpKeepaliveIdle: -1,
    tcpKeepaliveInterval: -1,
    immediate: false,
    ipv6: false,
    securityMechanism: null,
    plainServer: false,
    plainUsername: null,
    plainPassword: null,
    curveServer: false,
    zapDomain: null,
    typeOfService: 0,
    handshakeInterval: 30000,
    socksProxy: null,
    heartbeatInterval: 0,
    heartbeatTimeToLive: 0,
    heartbeatTimeout: -1,
    connectTimeout: 0,
    tcpMaxRetransmitTimeout: 0,
    threadSafe: false,
    multicastMaxTransportDataUnit: 1500,
    interface: null,
    zapEnforceDomain: false,
    loopbackFastPath: false,
    sendBufferSize: -1,
    sendHighWaterMark: 1000,
    sendTimeout: -1,
    multicastHops: 1,
    receiveBufferSize: -1,
    receiveHighWaterMark: 1000,
    receiveTimeout: -1,
    routingId: null,
    metadata: {},
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(socket[name], value, name);
});

it("defaults that depend on the type or on the context", () => {
  for (const name of ["SUB", "XSUB", "DISH"] as const) assert.is(make(name).socket.linger, 0, name);
  assert.is(make("PUSH", { blocky: false, ipv6: true }).socket.linger, 0);
  assert.is(make("PUSH", { blocky: false, ipv6: true }).socket.ipv6, true);
  for (const name of ["SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER"] as const) {
    assert.is(make(name).socket.threadSafe, true, name);
  }
  assert.is(make("DGRAM").socket.threadSafe, false);
});

it("ranges of numbers", () => {
  const least = {
    rate: 1,
    recoveryInterval: 0,
    linger: -1,
    reconnectInterval: -1,
    backlog: 0,
    reconnectMaxInterval: 0,
    tcpKeepalive: -1,
    tcpKeepaliveCount: -1,
    tcpKeepaliveIdle: -1,
    tcpKeepaliveInterval: -1,
    typeOfService: 0,
    handshakeInterval: 0,
    heartbeatInterval: 0,
    heartbeatTimeout: 0,
    connectTimeout: 0,
    tcpMaxRetransmitTimeout: 0,
    multicastMaxTransportDataUnit: 1,
    sendBufferSize: -1,
    sendHighWaterMark: 0,
    sendTimeout: -1,
    multicastHops: 1,
    receiveBufferSize: -1,
    receiveHighWaterMark: 0,
    receiveTimeout: -1,
  };
  const { socket, host } = make("PAIR");
  for (const [name, value] of Object.entries(least)) {
    socket[name] = value;
    assert.is(socket[name], value, name);
    fails(() => {
      socket[name] = value - 1;
    }, "EINVAL");
    assert.is(socket[name], value, name);
  }
  fails(() => {
    socket.tcpKeepalive = 2;
  }, "EINVAL");
  socket.maxMessageSize = -2;
  assert.is(socket.maxMessageSize, -2);
  socket.maxMessageSize = 2 ** 40;
  assert.is(socket.maxMessageSize, 2 ** 40);
  socket.affinity = 2 ** 40;
  assert.is(socket.affinity, 2 ** 40);
  // Unsigned: what is beyond is the nearest there is, and the greatest reads as 2^64, since a double has no 2^64 - 1.
  for (const [given, read] of [
    [2 ** 64 - 1, 2 ** 64],
    [2 ** 64, 2 ** 64],
    [2 ** 64 - 2048, 2 ** 64 - 2048],
    [2 ** 53 - 1, 2 ** 53 - 1],
    [2 ** 53, 2 ** 53],
    [2 ** 63, 2 ** 63],
    [2 ** 63 + 2048, 2 ** 63 + 2048],
    [2 ** 65, 2 ** 64],
    [1e300, 2 ** 64],
    [Number.POSITIVE_INFINITY, 2 ** 64],
    [-1, 0],
    [-0.5, 0],
    [-(2 ** 63), 0],
    [-(2 ** 64), 0],
    [Number.NEGATIVE_INFINITY, 0],
    [Number.NaN, 0],
    [1.7, 1],
  ]) {
    const warnings = warningsOf(() => {
      socket.affinity = given;
      assert.is(socket.affinity, read, String(given));
      setOption(host, "uint64", 4, given);
      assert.is(getOption(host, "uint64", 4), read, String(given));
    });
    assert.equal(warnings, given > 2 ** 53 - 1 ? [INACCURATE, INACCURATE] : [], String(given));
  }
  warningsOf(() => setOption(host, "uint64", 4, 2 ** 64 - 1));
  assert.is(getOption(host, "int64", 4), -1);
  setOption(host, "int64", 4, -1);
  assert.is(getOption(host, "uint64", 4), 2 ** 64);
  setOption(host, "int64", 22, 2 ** 63);
  assert.is(getOption(host, "int64", 22), 2 ** 63, "the greatest of a signed one, rounded up");
  warningsOf(() => setOption(host, "uint64", 22, 2 ** 64 - 1));
  assert.is(socket.maxMessageSize, -1);
});

it("numbers are cut to whole ones as C does", () => {
  const { socket } = make("PAIR");
  socket.linger = 1.7;
  assert.is(socket.linger, 1);
  socket.linger = Number.NaN;
  assert.is(socket.linger, 0);
  socket.maxMessageSize = Number.POSITIVE_INFINITY;
  assert.is(socket.maxMessageSize, 0);
  socket.maxMessageSize = -1.5;
  assert.is(socket.maxMessageSize, -1);
  socket.maxMessageSize = -0.5;
  assert.is(socket.maxMessageSize, 0);
});

it("the time to live is rounded down to tenths of a second", () => {
  const { socket } = make("PAIR");
  for (const [given, read] of [
    [1250, 1200],
    [99, 0],
    [-1, 0],
    [-99, 0],
    [6553599, 6553500],
  ]) {
    socket.heartbeatTimeToLive = given;
    assert.is(socket.heartbeatTimeToLive, read);
  }
  for (const refused of [-100, -(2 ** 31), 6553600]) {
    fails(() => {
      socket.heartbeatTimeToLive = refused;
    }, "EINVAL");
  }
});

it("values of the wrong type are TypeErrors", () => {
  const { socket } = make("REQ");
  const set = (name: string, value: unknown) => () => {
    socket[name] = value;
  };
  typeError(set("linger", "1"), "Option value must be a number");
  typeError(set("linger", undefined), "Option value must be a number");
  typeError(set("linger", 1n), "Option value must be a number");
  typeError(set("immediate", 1), "Option value must be a boolean");
  typeError(set("correlate", null), "Option value must be a boolean");
  typeError(set("plainUsername", 1), "Option value must be a string or buffer");
  typeError(set("routingId", undefined), "Option value must be a string or buffer");
  typeError(set("vmciBufferSize", "x"), "Option value must be a number");
});

it("what a sealed socket refuses, it refuses in V8's words", () => {
  const { socket } = make("PAIR");
  typeError(() => {
    socket.unknown = 1;
  }, "Cannot add property unknown, object is not extensible");
  for (const name of ["type", "lastEndpoint", "securityMechanism", "threadSafe"]) {
    try {
      socket[name] = 1;
      assert.unreachable();
    } catch (error) {
      assert.match(
        (error as Error).message,
        new RegExp(`^Cannot set property ${name} of #<\\w+> which has only a getter$`),
      );
    }
  }
});

it("each class has its own options, and no others", () => {
  const holders: { [name: string]: SocketTypeName[] } = {
    routingId: ["REQ", "REP", "DEALER", "ROUTER"],
    probeRouter: ["REQ", "DEALER", "ROUTER"],
    correlate: ["REQ"],
    relaxed: ["REQ"],
    conflate: ["PUB", "SUB", "DEALER", "PULL", "PUSH", "GATHER", "SCATTER"],
    mandatory: ["ROUTER"],
    handover: ["ROUTER"],
    noDrop: ["PUB", "XPUB"],
    invertMatching: ["PUB", "SUB", "XPUB"],
    manual: ["XPUB"],
    welcomeMessage: ["XPUB"],
    verbosity: ["XPUB"],
    notify: ["STREAM"],
    sendTimeout: [
      ...(["PAIR", "PUB", "REQ", "REP", "DEALER", "ROUTER", "PUSH", "XPUB", "XSUB", "STREAM"] as const),
      ...(["SERVER", "CLIENT", "RADIO", "SCATTER", "DGRAM", "PEER", "CHANNEL"] as const),
    ],
    receiveTimeout: [
      ...(["PAIR", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "XPUB", "XSUB", "STREAM"] as const),
      ...(["SERVER", "CLIENT", "DISH", "GATHER", "DGRAM", "PEER", "CHANNEL"] as const),
    ],
    linger: [...SOCKET_TYPE_NAMES],
    helloMessage: ["DEALER", "ROUTER", "SERVER", "CLIENT", "PEER"],
    topicsCount: ["PUB", "SUB", "XPUB", "XSUB"],
  };
  for (const type of SOCKET_TYPE_NAMES) {
    const { socket } = make(type);
    for (const [name, types] of Object.entries(holders))
      assert.is(name in socket, types.includes(type), `${type} ${name}`);
  }
});

it("write-only options read as undefined, and are stored", () => {
  const stored: [SocketTypeName, keyof OptionValues, unknown][] = [
    ["REQ", "probeRouter", true],
    ["REQ", "correlate", true],
    ["REQ", "relaxed", true],
    ["PUSH", "conflate", true],
    ["ROUTER", "handover", true],
    ["PUB", "noDrop", true],
    ["XPUB", "manual", true],
    ["XPUB", "manualLastValue", true],
    ["XPUB", "verbosity", "allSubs"],
    ["XSUB", "verboseUnsubscribe", true],
    ["STREAM", "notify", false],
  ];
  for (const [type, name, value] of stored) {
    const { socket, host } = make(type);
    socket[name] = value;
    assert.is(socket[name], undefined, name);
    assert.is(host.options[name], value, name);
  }
});

it("options that cannot be read, or not at all be had: EINVAL", () => {
  const { socket, host } = make("ROUTER");
  socket.mandatory = true;
  assert.is(host.options.mandatory, true);
  fails(() => socket.mandatory, "EINVAL");
  fails(() => socket.tcpAcceptFilter, "EINVAL");
  for (const name of ["vmciBufferSize", "vmciBufferMinSize", "vmciBufferMaxSize", "vmciConnectTimeout"]) {
    fails(() => socket[name], "EINVAL");
    fails(() => {
      socket[name] = 1;
    }, "EINVAL");
  }
  assert.is("gssapiServer" in socket, false);
});

it("routing ids are 1 to 255 octets, and read as text up to a NUL", () => {
  const { socket, host } = make("DEALER");
  socket.routingId = "näme";
  assert.is(socket.routingId, "näme");
  assert.equal(host.options.routingId, Buffer.from("näme"));
  const octets = Buffer.from([1, 0, 2]);
  socket.routingId = octets;
  octets[0] = 9;
  assert.is(socket.routingId, "\u0001");
  assert.equal(host.options.routingId, Buffer.from([1, 0, 2]));
  socket.routingId = "x".repeat(255);
  for (const refused of ["", null, "x".repeat(256), Buffer.alloc(0)]) {
    fails(() => {
      socket.routingId = refused;
    }, "EINVAL");
  }
});

it("text options: limits, and what resets them", () => {
  const { socket, host } = make("PAIR");
  const cases: [name: string, most: number, nullable: boolean][] = [
    ["plainUsername", 255, true],
    ["plainPassword", 255, true],
    ["zapDomain", 255, false],
    ["interface", 16, true],
    ["socksProxy", 1000, true],
  ];
  for (const [name, most, nullable] of cases) {
    socket[name] = "x".repeat(most);
    assert.is(socket[name], "x".repeat(most), name);
    fails(() => {
      socket[name] = "";
    }, "EINVAL");
    if (name !== "socksProxy") {
      fails(() => {
        socket[name] = "x".repeat(most + 1);
      }, "EINVAL");
    }
    if (nullable) {
      socket[name] = null;
      assert.is(socket[name], null, name);
    } else {
      fails(() => {
        socket[name] = null;
      }, "EINVAL");
    }
  }
  assert.is(host.options.socksProxy, "");
});

it("text reads up to its first NUL, as C does", () => {
  const { socket } = make("REQ");
  for (const name of ["plainUsername", "plainPassword", "zapDomain", "interface", "socksProxy", "routingId"]) {
    socket[name] = "a\0b";
    assert.is(socket[name], "a", name);
    socket[name] = "\0";
    assert.is(socket[name], name === "routingId" ? null : "", name);
  }
});

it("octets of which there are none are null", () => {
  const { socket } = make("REQ");
  for (const name of ["plainUsername", "plainPassword", "interface", "socksProxy", "socksUsername"]) {
    socket[name] = "x";
    socket[name] = Buffer.alloc(0);
    assert.is(socket[name], null, name);
  }
  socket.tcpAcceptFilter = Buffer.alloc(0);
  fails(() => {
    socket.zapDomain = Buffer.alloc(0);
  }, "EINVAL");
});

it("welcome messages may be empty or null", () => {
  const { socket, host } = make("XPUB");
  socket.welcomeMessage = "W";
  assert.equal(host.options.welcomeMessage, Buffer.from("W"));
  socket.welcomeMessage = null;
  assert.is(host.options.welcomeMessage.length, 0);
  socket.welcomeMessage = Buffer.from("V");
  socket.welcomeMessage = "";
  assert.is(host.options.welcomeMessage.length, 0);
});

it("verbosity ignores what it does not know", () => {
  const { socket, host } = make("XPUB");
  socket.verbosity = "allSubsUnsubs";
  socket.verbosity = "other";
  assert.is(host.options.verbosity, "allSubsUnsubs");
  socket.verbosity = null;
  assert.is(host.options.verbosity, null);
  setOption(host, "bool", 78, true);
  assert.is(host.options.verbosity, "allSubsUnsubs");
  setOption(host, "bool", 40, true);
  assert.is(host.options.verbosity, "allSubs");
  setOption(host, "bool", 40, false);
  assert.is(host.options.verbosity, null);
});

it("accept filters add up, null clears them", () => {
  const { socket, host } = make("PULL");
  socket.tcpAcceptFilter = "10.0.0.0/8";
  socket.tcpAcceptFilter = "::1";
  assert.equal(host.options.tcpAcceptFilter, ["10.0.0.0/8", "::1"]);
  for (const refused of ["", "x", "10.0.0.0/33", "10.0.0", "127.0.0.1:1080", "1:2"]) {
    fails(() => {
      socket.tcpAcceptFilter = refused;
    }, "EINVAL");
  }
  socket.tcpAcceptFilter = null;
  assert.equal(host.options.tcpAcceptFilter, []);
});

it("the mechanism is the one set last", () => {
  const { socket } = make("REQ");
  socket.plainServer = true;
  assert.is(socket.securityMechanism, "plain");
  assert.is(socket.plainServer, true);
  socket.plainUsername = "user";
  assert.is(socket.securityMechanism, "plain");
  assert.is(socket.plainServer, false);
  socket.curveServer = true;
  assert.is(socket.securityMechanism, "curve");
  socket.curveSecretKey = Buffer.alloc(32, 1);
  assert.is(socket.curveServer, true);
  socket.curveServerKey = Buffer.alloc(32, 1);
  assert.is(socket.curveServer, false);
  socket.plainPassword = "word";
  assert.is(socket.securityMechanism, "plain");
  socket.plainPassword = null;
  assert.is(socket.securityMechanism, null);
  socket.curveServer = true;
  socket.curveServer = false;
  assert.is(socket.securityMechanism, null);
});

it("CURVE keys: 40 characters or 32 octets, and unreadable before the mechanism is CURVE", () => {
  const { socket, host } = make("REQ");
  fails(() => socket.curvePublicKey, "EINVAL");
  const text = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
  for (const name of ["curvePublicKey", "curveSecretKey", "curveServerKey"] as const) {
    socket[name] = text;
    assert.is(host.options[name].length, 32);
    assert.is(socket[name], text);
    socket[name] = Buffer.alloc(32);
    assert.is(socket[name], "0".repeat(40));
    for (const refused of [null, "", "short", `${text}0`, "\u007f".repeat(40), Buffer.alloc(31)]) {
      fails(() => {
        socket[name] = refused;
      }, "EINVAL");
    }
    assert.is(socket[name], "0".repeat(40));
  }
});

it("metadata is an object, by number libzmq's text", () => {
  const { socket, host } = make("DEALER");
  socket.metadata = { "X-b": "2", "X-a": Buffer.from("1") };
  assert.equal(socket.metadata, { "X-a": "1", "X-b": "2" });
  assert.equal([...host.options.metadata.keys()], ["X-a", "X-b"]);
  setOption(host, "string", 95, "X-aa:3:4");
  assert.equal([...host.options.metadata.keys()], ["X-a", "X-aa", "X-b"]);
  assert.equal(host.options.metadata.get("X-aa"), Buffer.from("3:4"));
  for (const refused of [{ name: "1" }, { "X-ä": "1" }]) {
    fails(() => {
      socket.metadata = refused;
    }, "EINVAL");
  }
  fails(() => setOption(host, "string", 95, "X-a"), "EINVAL");
  const names = Array.from({ length: 255 }, (_, index) => [`X-${index}`, "v"]);
  fails(() => {
    socket.metadata = Object.fromEntries(names);
  }, "EINVAL");
  socket.metadata = Object.fromEntries(names.slice(1));
  socket.metadata = null;
  assert.equal(socket.metadata, {});
});

it("a closed socket has no options: ENOTSOCK", () => {
  const { socket, host } = make("REQ");
  host.closed = true;
  fails(() => socket.linger, "ENOTSOCK");
  fails(() => {
    socket.linger = 0;
  }, "ENOTSOCK");
  fails(() => getOption(host, "int32", 17), "ENOTSOCK");
  fails(() => setOption(host, "int32", 17, 0), "ENOTSOCK");
});

it("what waits for the next bind or connect is warned of, and stored", () => {
  const { socket, host } = make("XPUB");
  const warnings = warningsOf(() => {
    socket.backlog = 5;
    host.attached = true;
    socket.linger = 5;
    socket.sendTimeout = 5;
    socket.receiveHighWaterMark = 5;
  });
  assert.equal(warnings, []);
  const later = warningsOf(() => {
    socket.backlog = 6;
    socket.manual = true;
    fails(() => {
      socket.backlog = -1;
    }, "EINVAL");
  });
  const text = "Socket option will not take effect until next connect/bind.";
  assert.equal(later, [text, text]);
  assert.is(socket.backlog, 6);
  assert.is(host.options.manual, true);
});

it("high-water marks reach the pipes that exist, and refused ones do not", () => {
  const { socket, host } = make("XPUB");
  socket.receiveHighWaterMark = 5;
  socket.linger = 5;
  socket.sendHighWaterMark = 0;
  for (const name of ["sendHighWaterMark", "receiveHighWaterMark"]) {
    fails(() => {
      socket[name] = -1;
    }, "EINVAL");
  }
  assert.equal(host.changed, ["receive", "send"]);
});

it("calls by number: types of the same width convert into each other", () => {
  const { host } = make("PAIR");
  setOption(host, "int32", 17, 250);
  assert.is(getOption(host, "int32", 17), 250);
  assert.is(getOption(host, "uint32", 17), 250);
  assert.is(getOption(host, "bool", 17), true);
  setOption(host, "uint32", 17, 0xffffffff);
  assert.is(getOption(host, "int32", 17), -1);
  assert.is(getOption(host, "uint32", 17), 0xffffffff);
  setOption(host, "int32", 39, 1);
  assert.is(getOption(host, "bool", 39), true);
  assert.is(getOption(host, "int32", 39), 1);
  fails(() => setOption(host, "int32", 39, 2), "EINVAL");
  assert.is(getOption(host, "int64", 22), -1);
  assert.is(getOption(host, "uint64", 22), 2 ** 64);
  setOption(host, "uint64", 22, 77);
  assert.is(getOption(host, "int64", 22), 77);
  for (const [kind, id] of [
    ["int32", 22],
    ["int64", 17],
    ["string", 17],
    ["int32", 45],
  ] as const) {
    fails(() => getOption(host, kind, id), "EINVAL");
  }
  setOption(host, "string", 45, "name");
  assert.is(getOption(host, "string", 45), "name");
  assert.is(getOption(host, "int32", 43), 1);
  assert.is(getOption(host, "int32", 16), 0);
  assert.is(getOption(host, "int32", 15), 3);
  assert.is(getOption(host, "string", 32), null);
});

it("calls by number: unknown ones, read-only, write-only and other types' are EINVAL", () => {
  const { host } = make("REQ");
  for (const id of [-1, 0, 999, 1.5e9]) {
    fails(() => getOption(host, "int32", id), "EINVAL");
    fails(() => setOption(host, "int32", id, 1), "EINVAL");
  }
  fails(() => setOption(host, "int32", 16, 1), "EINVAL");
  fails(() => getOption(host, "bool", 53), "EINVAL");
  fails(() => setOption(host, "bool", 33, true), "EINVAL");
  const push = make("PUSH");
  push.socket.conflate = true;
  assert.is(getOption(push.host, "bool", 54), true, "what libzmq reads, though there is no getter");
  typeError(() => getOption(host, "int32", "17"), "Identifier must be a number");
  typeError(() => setOption(host, "int32", undefined, 1), "Identifier must be a number");
  typeError(() => setOption(host, "int32", 17, "1"), "Option value must be a number");
});

it("calls by number: options 6 and 7 subscribe", () => {
  const { host } = make("SUB");
  topics.length = 0;
  setOption(host, "string", 6, "A");
  setOption(host, "string", 7, Buffer.from("A"));
  setOption(host, "string", 6, null);
  assert.equal(topics, ["+A", "-A", "+"]);
  fails(() => setOption(make("PUB").host, "string", 6, "A"), "EINVAL");
});

it("numbers are unique, and each property's value has its field", () => {
  const numbers = OPTIONS.map(({ id }) => id).filter((id) => id !== NO_NUMBER);
  assert.is(new Set(numbers).size, numbers.length);
  for (const id of numbers) assert.is(OPTION_BY_ID.get(id)?.id, id);
  const values = createOptions(0, { blocky: true, ipv6: false });
  for (const { name } of OPTIONS) {
    if (name !== undefined && name !== "topicsCount" && !name.startsWith("vmci")) assert.is(name in values, true, name);
  }
});

it("a snapshot does not follow later changes", () => {
  const { socket, host } = make("PUSH");
  const taken = snapshot(host.options);
  socket.backlog = 1;
  assert.is(taken.backlog, 100);
});

it("contexts: defaults, ranges and errors", () => {
  const values = createContextOptions();
  class Context {}
  defineContextAccessors(Context.prototype, () => values);
  const context = Object.seal(new Context()) as Open;
  const expected = { ioThreads: 1, maxSockets: 1023, maxSocketsLimit: 65535, maxMessageSize: 2147483647, ipv6: false };
  for (const [name, value] of Object.entries(expected)) assert.is(context[name], value, name);
  assert.is(context.blocky, true);
  assert.is(context.threadPriority, undefined);
  context.threadPriority = 1;
  context.threadSchedulingPolicy = 0;
  context.maxSockets = 65536;
  context.blocky = false;
  assert.is(values.blocky, false);
  for (const [name, value] of Object.entries({
    ioThreads: -1,
    maxSockets: 0,
    maxMessageSize: -1,
    threadPriority: -1,
  })) {
    fails(() => {
      context[name] = value;
    }, "EINVAL");
  }
  typeError(() => {
    context.blocky = 1;
  }, "Option value must be a boolean");
  typeError(() => {
    context.maxSocketsLimit = 1;
  }, "Cannot set property maxSocketsLimit of #<Context> which has only a getter");
  assert.is(getContextOption(values, "int32", 3), 65535);
  assert.is(getContextOption(values, "int32", 70), 0);
  setContextOption(values, "bool", 70, true);
  assert.is(getContextOption(values, "bool", 70), true);
  setContextOption(values, "int32", 3, 5);
  assert.is(values.threadPriority, 5);
  fails(() => getContextOption(values, "int32", 4), "EINVAL");
  fails(() => setContextOption(values, "int32", 99, 1), "EINVAL");
});

it.run();
