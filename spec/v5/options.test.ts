import * as zmq from "../../src/v5-compat.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("v5/options");

it("has accessors for the short names, which are no own properties", () => {
  for (const name of Object.keys(zmq.options)) {
    const descriptor = Object.getOwnPropertyDescriptor(zmq.Socket.prototype, name);
    assert.type(descriptor?.get, "function", name);
    assert.type(descriptor?.set, "function", name);
    assert.is(descriptor?.enumerable, false, name);
  }
});

it("reads and writes by short name and by number", () => {
  const socket = zmq.socket("dealer");
  assert.is(socket.setsockopt("backlog", 75), socket);
  assert.is(socket.getsockopt(zmq.ZMQ_BACKLOG), 75);
  assert.is(socket.setsockopt(zmq.ZMQ_BACKLOG, 50).backlog, 50);
  socket.identity = Buffer.from("octets");
  assert.is(socket.identity, "octets");
  for (const option of [zmq.ZMQ_SNDHWM, zmq.ZMQ_RCVHWM, zmq.ZMQ_SNDTIMEO, zmq.ZMQ_RCVTIMEO, zmq.ZMQ_MAXMSGSIZE]) {
    assert.is(socket.setsockopt(option, 123).getsockopt(option), 123);
  }
  socket.close();
});

it("shows switches as 1 and 0", () => {
  const socket = zmq.socket("rep");
  assert.is(socket.plain_server, 0);
  socket.plain_server = 1;
  assert.is(socket.plain_server, 1);
  assert.is(socket.mechanism, 1);
  socket.curve_server = true;
  assert.equal([socket.curve_server, socket.plain_server, socket.mechanism], [1, 0, 2]);
  assert.is(socket.setsockopt(zmq.ZMQ_IPV6, 1).getsockopt(zmq.ZMQ_IPV6), 1);
  assert.is(socket.getsockopt(zmq.ZMQ_IPV4ONLY), false);
  assert.is(socket.setsockopt(zmq.ZMQ_IPV4ONLY, 1).getsockopt(zmq.ZMQ_IPV6), 0);
  assert.is(socket.setsockopt(zmq.ZMQ_DELAY_ATTACH_ON_CONNECT, 1).getsockopt(zmq.ZMQ_DELAY_ATTACH_ON_CONNECT), 1);
  socket.close();
});

it("takes keys as text and as octets", () => {
  const { public: key, secret } = zmq.curveKeypair();
  assert.equal([key.length, secret.length], [40, 40]);
  const socket = zmq.socket("req", {
    curve_publickey: key,
    curve_secretkey: secret,
    curve_serverkey: Buffer.alloc(32),
  });
  assert.is(socket.mechanism, 2);
  assert.is(socket.curve_publickey, key);
  socket.close();
});

it("refuses what there is not", () => {
  const socket = zmq.socket("push");
  assert.throws(() => socket.setsockopt(9999, 1), "Unknown option");
  assert.throws(() => socket.getsockopt("toString" as "linger"), "Unknown option");
  assert.throws(() => socket._subscribe, "Unknown option");
  assert.throws(() => socket._fd, /ZMQ_FD/);
  assert.throws(() => socket._receiveMore, /ZMQ_RCVMORE/);
  assert.throws(() => socket.setsockopt(zmq.ZMQ_ROUTER_RAW, 1), /ZMQ_ROUTER_RAW/);
  const xpub = zmq.socket("xpub");
  assert.throws(() => xpub.getsockopt(zmq.ZMQ_XPUB_VERBOSE), /ZMQ_XPUB_VERBOSE/);
  xpub.close();
  assert.throws(
    () => {
      socket.linger = "x";
    },
    (error: Error) => error instanceof TypeError,
  );
  socket.close();
});

const TYPES = "pair req rep pub sub dealer xreq router xrep pull push xpub xsub stream".split(" ") as zmq.SocketType[];

it("keeps the general options for every type, whether it can use them or not", () => {
  const kept = [
    ...[zmq.ZMQ_AFFINITY, zmq.ZMQ_RATE, zmq.ZMQ_LINGER, zmq.ZMQ_BACKLOG, zmq.ZMQ_MULTICAST_HOPS],
    ...[zmq.ZMQ_SNDBUF, zmq.ZMQ_RCVBUF, zmq.ZMQ_SNDHWM, zmq.ZMQ_RCVHWM, zmq.ZMQ_SNDTIMEO, zmq.ZMQ_RCVTIMEO],
  ];
  for (const type of TYPES) {
    const socket = zmq.socket(type, { identity: "first", hwm: 9 });
    assert.equal([socket.identity, socket.hwm], ["first", 9], type);
    socket.identity = Buffer.from("second");
    assert.is(socket.getsockopt("identity"), "second", type);
    assert.is(socket.setsockopt(zmq.ZMQ_IDENTITY, "third").identity, "third", type);
    assert.equal([socket.getsockopt(zmq.ZMQ_SNDHWM), socket.getsockopt(zmq.ZMQ_RCVHWM)], [9, 9], type);
    for (const option of kept) {
      assert.is(socket.setsockopt(option, 12).getsockopt(option), 12, `${type} ${option}`);
      assert.throws(() => socket.setsockopt(option, "12"), "Option value must be a number", `${type} ${option}`);
    }
    assert.throws(
      () => socket.setsockopt(zmq.ZMQ_SNDTIMEO, -2),
      (error: NodeJS.ErrnoException) => error.code === "EINVAL",
    );
    socket.close();
  }
});

it("refuses the options of another type as libzmq does", () => {
  const only: [number, zmq.SocketType[]][] = [
    [zmq.ZMQ_SUBSCRIBE, ["sub"]],
    [zmq.ZMQ_UNSUBSCRIBE, ["sub"]],
    [zmq.ZMQ_ROUTER_MANDATORY, ["router", "xrep"]],
    [zmq.ZMQ_ROUTER_HANDOVER, ["router", "xrep"]],
    [zmq.ZMQ_XPUB_VERBOSE, ["xpub"]],
  ];
  for (const [option, types] of only) {
    const value = option === zmq.ZMQ_SUBSCRIBE || option === zmq.ZMQ_UNSUBSCRIBE ? "topic" : 1;
    for (const type of TYPES) {
      const socket = zmq.socket(type);
      if (types.includes(type)) socket.setsockopt(option, value);
      else {
        assert.throws(
          () => socket.setsockopt(option, value),
          (error: NodeJS.ErrnoException) => error.code === "EINVAL" && error.message === "Invalid argument",
          `${type} ${option}`,
        );
      }
      socket.close();
    }
  }
});

it("sets both marks by hwm, of what it sends and of what it receives", () => {
  const pull = zmq.socket("pull");
  pull.hwm = 3;
  pull.setsockopt(zmq.ZMQ_RCVHWM, 4);
  assert.equal([pull.hwm, pull.getsockopt(zmq.ZMQ_SNDHWM)], [4, 3]);
  pull.close();
});

it("tells what can be done now", () => {
  const socket = zmq.socket("pub");
  assert.is(socket._ioevents, zmq.ZMQ_POLLOUT);
  socket.close();
});

it("sets the context", () => {
  const before = zmq.Context.getMaxSockets();
  zmq.Context.setMaxSockets(before + 1);
  assert.is(zmq.Context.getMaxSockets(), before + 1);
  zmq.Context.setMaxSockets(before);
  zmq.Context.setMaxThreads(zmq.Context.getMaxThreads());
});

it.run();
