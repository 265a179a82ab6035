import { once } from "node:events";
import * as zmq from "../../src/v5-compat.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("v5/proxy");

const open: zmq.Socket[] = [];

function make(type: zmq.SocketType): zmq.Socket {
  const socket = zmq.socket(type);
  open.push(socket);
  return socket;
}

function bound(type: zmq.SocketType): zmq.Socket {
  const socket = make(type);
  socket.bindSync("tcp://127.0.0.1:*");
  return socket;
}

it.afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

for (const [front, back] of [
  ["router", "dealer"],
  ["xrep", "xreq"],
] as const) {
  it(`makes a broker of ${front} and ${back}, whose capture gets the bare replies`, async () => {
    const [frontend, backend, capture] = [bound(front), bound(back), bound("push")];
    zmq.proxy(frontend, backend, capture);
    const [req, rep, watcher] = [make("req"), make("rep"), make("pull")];
    rep.on("message", (...frames: Buffer[]) => rep.send(["re", ...frames]));
    watcher.connect(capture.last_endpoint);
    req.connect(frontend.last_endpoint).send(["a", "b"]);
    rep.connect(backend.last_endpoint);
    const [reply, captured] = await Promise.all([once(req, "message"), once(watcher, "message")]);
    assert.is(reply.join("|"), "re|a|b");
    assert.is(captured.join("|"), "re|a|b");
  });
}

it("makes a streamer, either way round", async () => {
  for (const turned of [false, true]) {
    const [pull, push] = [bound("pull"), bound("push")];
    if (turned) zmq.proxy(push, pull);
    else zmq.proxy(pull, push);
    const sink = make("pull");
    sink.connect(push.last_endpoint);
    make("push").connect(pull.last_endpoint).send(["a", "b"]);
    assert.is((await once(sink, "message")).join("|"), "a|b");
  }
});

it("makes a forwarder of xpub and xsub", async () => {
  const [xpub, xsub] = [bound("xpub"), bound("xsub")];
  zmq.proxy(xpub, xsub);
  const [pub, sub] = [make("pub"), make("sub")];
  pub.connect(xsub.last_endpoint);
  sub.connect(xpub.last_endpoint).subscribe("a");
  const seen: string[] = [];
  sub.on("message", (text: Buffer) => seen.push(`${text}`));
  await eventually(async () => {
    pub.send("b").send("a");
    return seen.length > 0;
  });
  assert.ok(!seen.includes("b"));
});

it("refuses other types and orders", () => {
  for (const [front, back] of [
    ["pub", "sub"],
    ["xsub", "xpub"],
    ["dealer", "router"],
  ] as const) {
    assert.throws(() => zmq.proxy(make(front), make(back)), /order is not supported/);
  }
});

it.run();
