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
    () => socket.setsockopt(zmq.ZMQ_RCVHWM, 1),
    (error: Error) => error instanceof TypeError,
  );
  assert.is(socket.getsockopt(zmq.ZMQ_RCVHWM), undefined);
  assert.throws(
    () => {
      socket.linger = "x";
    },
    (error: Error) => error instanceof TypeError,
  );
  socket.close();
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
