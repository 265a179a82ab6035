/**
 * Programs as users of version 5 of zeromq wrote them. Each gets the package and `print`, and closes what it opens; what it
 * prints does not depend on time, so that it can be compared line by line.
 *
 * @typedef {any} Package what require("zeromq/v5-compat") gives
 * @typedef {any} Socket
 * @typedef {(...words: unknown[]) => void} Print
 * @typedef {{ title: string, run(zmq: Package, print: Print): Promise<void> }} Program
 */
import { setTimeout as sleep } from "node:timers/promises";

const ANY = "tcp://127.0.0.1:*";

/** @param {import("node:events").EventEmitter} emitter @param {string} name @returns {Promise<any[]>} */
const next = (emitter, name) => new Promise((resolve) => emitter.once(name, (...values) => resolve(values)));

/** Resolves with the first `count` messages. @param {Socket} socket @param {number} count @returns {Promise<string[]>} */
const messages = (socket, count) =>
  new Promise((resolve) => {
    /** @type {string[]} */
    const seen = [];
    socket.on("message", (/** @type {Buffer[]} */ ...frames) => {
      seen.push(frames.map(String).join("|"));
      if (seen.length === count) resolve(seen);
    });
  });

/** Publishes under a topic until it arrives, and then until nothing does. @param {Socket} pub @param {Socket} sub @param {string} topic */
async function subscribed(pub, sub, topic) {
  let seen = 0;
  const count = () => seen++;
  sub.on("message", count);
  while (seen === 0) {
    pub.send(topic);
    await sleep(20);
  }
  for (let before = -1; before !== seen; await sleep(100)) before = seen;
  sub.off("message", count);
}

/** What an action gives or throws. @param {() => unknown} action */
function outcome(action) {
  try {
    return action();
  } catch (error) {
    const { name, message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    return [name, message, code].join(" ");
  }
}

/** @param {unknown} address */
const masked = (address) => String(address).replace(/:\d+$/, ":PORT");

const FREE_TRIES = 200;

/** Binds to an address whose listener may still be on its way out. @param {() => unknown} bind */
async function whenFree(bind) {
  for (let attempt = 1; ; attempt++) {
    try {
      return bind();
    } catch (error) {
      if (!/in use/.test(/** @type {Error} */ (error).message) || attempt === FREE_TRIES) throw error;
      await sleep(10);
    }
  }
}

/** Members that version 5 had and the original's layer no longer has; this package does. */
const OF_VERSION_5 = new Set(["_zmq", "hwm", "ref", "unref"]);

/** Options that libzmq, and so version 5, keeps for types that the original's layer does not list them for. */
const UNLISTED = {
  router: [6, 7, 40],
  xpub: [5, 6, 7, 33, 56],
  push: [5, 6, 7, 12, 24, 27, 33, 40, 56],
  sub: [5, 11, 23, 25, 28, 33, 40, 56],
};

/** @type {Program[]} */
export const PROGRAMS = [
  {
    title: "exports",
    async run(zmq, print) {
      for (const name of Object.keys(zmq).sort()) {
        const { hwm: _, ...value } = name === "options" ? zmq.options : { value: zmq[name] };
        print(name, typeof zmq[name] === "function" ? "" : value);
      }
      print(zmq.socket === zmq.createSocket, zmq.__esModule);
      print(outcome(() => new zmq.Context()));
      print(outcome(() => zmq.socket("foo")));
      print(outcome(() => zmq.socket()));
      zmq.Context.setMaxSockets(2000);
      zmq.Context.setMaxThreads(2);
      print(zmq.Context.getMaxSockets(), zmq.Context.getMaxThreads());
      const keys = zmq.curveKeypair();
      print(Object.keys(keys), keys.public.length, keys.secret.length);
    },
  },
  {
    title: "the socket's members",
    async run(zmq, print) {
      const own = Object.getOwnPropertyNames(zmq.Socket.prototype).filter(
        (name) => !/^_(recv|send)$/.test(name) && !OF_VERSION_5.has(name),
      );
      print(own.sort());
      for (const name of own) {
        const { enumerable, configurable, get, set, value } = /** @type {PropertyDescriptor} */ (
          Object.getOwnPropertyDescriptor(zmq.Socket.prototype, name)
        );
        print(name, enumerable, configurable, typeof get, typeof set, typeof value, value?.length);
      }
      for (const type of "pair req rep pub sub dealer xreq router xrep pull push xpub xsub stream".split(" ")) {
        const socket = zmq.socket(type);
        print(type, socket.type, socket.closed, socket.getsockopt(zmq.ZMQ_TYPE), socket instanceof zmq.Socket);
        for (const name of Object.keys(zmq.options)) {
          const isListed = !OF_VERSION_5.has(name) && (name !== "identity" || /^(req|rep|dealer|router)$/.test(type));
          if (isListed && !/^(rcvbuf|sndbuf)$/.test(name))
            print(
              type,
              name,
              outcome(() => socket[name]),
            );
        }
        print(socket.close() === socket, socket.closed, socket.close() === socket);
      }
    },
  },
  {
    title: "options by number",
    async run(zmq, print) {
      for (const [type, unlisted] of Object.entries(UNLISTED)) {
        const socket = zmq.socket(type);
        // 1 is `hwm`.
        for (let option = 2; option < 100; option++) {
          // The original cannot read the keys of CURVE.
          if ((option >= 48 && option <= 50) || unlisted.includes(option)) continue;
          const missing = /is not a function/;
          const set = String(outcome(() => socket.setsockopt(option, 1) === socket));
          print(
            type,
            option,
            outcome(() => socket.getsockopt(option)),
            missing.test(set) ? "no function" : set,
          );
          print(
            type,
            option,
            outcome(() => socket.getsockopt(option)),
          );
        }
        socket.close();
      }
    },
  },
  {
    title: "options by name",
    async run(zmq, print) {
      const socket = zmq.socket("dealer", { identity: "me", linger: 5, note: "mine" });
      print(socket.identity, socket.linger, socket.note);
      socket.identity = Buffer.from("you");
      print(socket.identity, socket.setsockopt("linger", 7).linger, socket.getsockopt("linger"));
      print(
        outcome(() => socket.setsockopt("nothing", 1)),
        outcome(() => socket.getsockopt("nothing")),
      );
      socket.plain_username = "user";
      socket.plain_password = "secret";
      print(socket.mechanism, socket.plain_username, socket.plain_password);
      socket.plain_server = 1;
      print(socket.mechanism, socket.plain_server);
      socket.zap_domain = "test";
      print(socket.zap_domain);
      const { public: key, secret } = zmq.curveKeypair();
      socket.curve_publickey = key;
      socket.curve_secretkey = secret;
      socket.curve_serverkey = key;
      print(socket.mechanism, socket.curve_server, socket.plain_server);
      socket.curve_server = true;
      print(socket.curve_server);
      print(outcome(() => zmq.socket("req", { linger: "x" })));
      socket.close();
      print(
        outcome(() => socket.linger),
        outcome(() => socket.read()),
      );
      // The original leaves the socket open whose option it refused, and with it the process, until it is collected.
      setTimeout(() => process.exit(), 100);
    },
  },
  {
    title: "request and reply",
    async run(zmq, print) {
      const rep = zmq.socket("rep");
      const req = zmq.socket("req");
      rep.on("message", (/** @type {Buffer} */ request) => {
        print("request", Buffer.isBuffer(request), String(request));
        rep.send(`re: ${request}`);
      });
      rep.bind(ANY, async (/** @type {Error} */ error) => {
        print("bound", error);
        req.connect(rep.last_endpoint);
        for (let i = 0; i < 5; i++) req.send(`hello ${i}`);
      });
      rep.on("bind", (/** @type {string} */ address) => print("bind", address));
      for (const reply of await messages(req, 5)) print("reply", reply);
      req.close();
      rep.close();
    },
  },
  {
    title: "publish and subscribe",
    async run(zmq, print) {
      const pub = zmq.socket("pub");
      const sub = zmq.socket("sub");
      pub.bindSync(ANY);
      print(sub.connect(pub.last_endpoint) === sub, sub.subscribe("kitty") === sub);
      sub.subscribe(Buffer.from("dog"));
      sub.setsockopt(zmq.ZMQ_SUBSCRIBE, "cow");
      sub.subscribe("gone");
      print(sub.unsubscribe("gone") === sub);
      await subscribed(pub, sub, "cow");
      const all = messages(sub, 4);
      pub.send(["kitty cats", "meow"]);
      pub.send(["gone", "nobody hears"]);
      pub.send(["dogs", "wow"]);
      pub.send(["cows", "moo"]);
      pub.send("kitty");
      for (const message of await all) print(message);
      print(
        outcome(() => pub.subscribe("a")),
        outcome(() => sub.subscribe(5)),
      );
      pub.close();
      sub.close();
    },
  },
  {
    title: "push and pull, with flags and callbacks",
    async run(zmq, print) {
      const push = zmq.socket("push");
      const pull = zmq.socket("pull");
      push.bindSync(ANY);
      pull.connect(push.last_endpoint);
      const all = messages(pull, 6);
      print(push.send("text", null, (/** @type {Error} */ error) => print("sent", error)) === push);
      push.send(15.99);
      push.send(Buffer.from("buffer"), undefined, (/** @type {Error[]} */ ...error) => print("sent", error.length));
      push.send(["tobi", "loki"], zmq.ZMQ_SNDMORE);
      push.send(["jane", "luna"], zmq.ZMQ_SNDMORE);
      push.send("manny", 0, () => print("sent frames"));
      push.send([], 0, () => print("sent nothing"));
      push.send(["", null, "x"]);
      push.send([["a", "b"], true], 0, () => print("sent the last"));
      for (const message of await all) print(message);
      push.close();
      pull.close();
    },
  },
  {
    title: "five thousand messages sent at once",
    async run(zmq, print) {
      const push = zmq.socket("push");
      const pull = zmq.socket("pull");
      pull.setsockopt(zmq.ZMQ_RCVHWM, 10);
      push.setsockopt(zmq.ZMQ_SNDHWM, 10);
      let called = 0;
      for (let i = 0; i < 5000; i++) push.send(`message ${i}`, 0, () => called++);
      push.bindSync(ANY);
      const all = messages(pull, 5000);
      pull.connect(push.last_endpoint);
      const seen = await all;
      const inOrder = seen.every((text, i) => text === `message ${i}`);
      print(seen.length, seen[0], seen[4999], inOrder);
      await sleep(20);
      print(called);
      push.close();
      pull.close();
    },
  },
  {
    title: "pause and resume",
    async run(zmq, print) {
      const push = zmq.socket("push");
      const pull = zmq.socket("pull");
      pull.bindSync(ANY);
      push.connect(pull.last_endpoint);
      pull.on("message", (/** @type {Buffer} */ text) => print("message", String(text)));
      push.send("one");
      await next(pull, "message");
      print(pull.pause());
      push.send("two");
      push.send("three");
      await sleep(50);
      const rest = messages(pull, 2);
      print(pull.resume());
      await rest;
      push.pause();
      push.send("four", 0, () => print("sent four"));
      await sleep(50);
      print("not yet");
      const last = next(pull, "message");
      push.resume();
      await last;
      push.close();
      pull.close();
    },
  },
  {
    title: "a broker: router and dealer",
    async run(zmq, print) {
      const front = zmq.socket("router");
      const back = zmq.socket("dealer");
      front.bindSync(ANY);
      back.bindSync(ANY);
      zmq.proxy(front, back);
      const req = zmq.socket("req");
      const rep = zmq.socket("rep");
      req.identity = "client";
      req.connect(front.last_endpoint);
      rep.connect(back.last_endpoint);
      rep.on("message", (/** @type {Buffer[]} */ ...frames) => rep.send(["answer", ...frames]));
      req.on("message", (/** @type {Buffer[]} */ ...frames) => print(frames.map(String)));
      for (let i = 0; i < 3; i++) {
        req.send(["question", String(i)]);
        await next(req, "message");
      }
      for (const socket of [req, rep, front, back]) socket.close();
    },
  },
  {
    title: "proxies with a capture",
    async run(zmq, print) {
      /** @type {[string, string, string, string][]} */
      const cases = [
        ["push", "pull", "pull", "push"],
        ["pull", "push", "push", "pull"],
        ["router", "dealer", "req", "rep"],
        ["xrep", "xreq", "req", "rep"],
      ];
      for (const [frontType, backType, frontPeer, backPeer] of cases) {
        const front = zmq.socket(frontType);
        const back = zmq.socket(backType);
        const capture = zmq.socket("push");
        const watcher = zmq.socket("pull");
        for (const socket of [front, back, capture]) socket.bindSync(ANY);
        print(frontType, zmq.proxy(front, back, capture));
        const one = zmq.socket(frontPeer);
        const other = zmq.socket(backPeer);
        watcher.on("message", (/** @type {Buffer[]} */ ...frames) => print("captured", frames.map(String)));
        for (const [name, socket] of Object.entries({ one, other })) {
          socket.on("message", (/** @type {Buffer[]} */ ...frames) => {
            print(name, frames.map(String));
            if (socket.type === "rep") socket.send("reply");
          });
        }
        watcher.connect(capture.last_endpoint);
        one.connect(front.last_endpoint);
        other.connect(back.last_endpoint);
        await sleep(100);
        (/pull|rep/.test(backPeer) ? one : other).send("hello");
        await sleep(100);
        for (const socket of [one, other, watcher, front, back, capture]) socket.close();
      }
      for (const types of ["pub sub", "xsub xpub", "dealer router", "req rep"]) {
        const [front, back] = types.split(" ").map((type) => zmq.socket(type));
        print(
          types,
          outcome(() => zmq.proxy(front, back)),
        );
        front.close();
        back.close();
      }
    },
  },
  {
    title: "a forwarder: xpub and xsub",
    async run(zmq, print) {
      const xpub = zmq.socket("xpub");
      const xsub = zmq.socket("xsub");
      xpub.bindSync(ANY);
      xsub.bindSync(ANY);
      zmq.proxy(xpub, xsub);
      xpub.on("message", (/** @type {Buffer} */ topic) => print("subscription", [...topic]));
      const pub = zmq.socket("pub");
      const sub = zmq.socket("sub");
      pub.connect(xsub.last_endpoint);
      sub.connect(xpub.last_endpoint);
      sub.subscribe("a");
      await subscribed(pub, sub, "a");
      const all = messages(sub, 2);
      pub.send(["a1", "x"]);
      pub.send(["b1", "x"]);
      pub.send(["a2", "x"]);
      for (const message of await all) print(message);
      sub.unsubscribe("a");
      await sleep(100);
      for (const socket of [pub, sub, xpub, xsub]) socket.close();
    },
  },
  {
    title: "dealers with identities, and a mandatory router",
    async run(zmq, print) {
      const router = zmq.socket("router");
      router.setsockopt(zmq.ZMQ_ROUTER_MANDATORY, 1);
      router.setsockopt(zmq.ZMQ_SNDTIMEO, 10);
      router.bindSync(ANY);
      const dealers = ["one", "two"].map((identity) => zmq.socket("dealer", { identity }));
      router.on("message", (/** @type {Buffer[]} */ ...frames) => router.send([frames[0], "welcome"]));
      for (const dealer of dealers) {
        dealer.connect(router.last_endpoint);
        dealer.on("message", (/** @type {Buffer[]} */ ...frames) => print(dealer.identity, frames.map(String)));
        dealer.send("hello");
        await next(dealer, "message");
      }
      router.send(["nobody", "x"], 0, (/** @type {NodeJS.ErrnoException} */ error) => print("callback", error.code));
      await sleep(50);
      router.on("error", (/** @type {NodeJS.ErrnoException} */ error) => print("error", error.code));
      router.send(["nobody", "x"]);
      await sleep(50);
      for (const socket of [router, ...dealers]) socket.close();
    },
  },
  {
    title: "monitor",
    async run(zmq, print) {
      const rep = zmq.socket("rep");
      const req = zmq.socket("req");
      const names = [
        "listen",
        "accept",
        "accept_error",
        "close",
        "close_error",
        "connect",
        "connect_delay",
        "disconnect",
      ];
      // Each side has an order of its own.
      /** @type {string[]} */
      const told = [];
      for (const [role, socket] of Object.entries({ rep, req })) {
        for (const name of names) {
          socket.on(name, (/** @type {unknown} */ value, /** @type {string} */ address, /** @type {unknown} */ error) =>
            told.push([role, name, value, masked(address), error].join(" ")),
          );
        }
        socket.once("connect_retry", (/** @type {number} */ value, /** @type {string} */ address) =>
          told.push([role, "connect_retry", typeof value, masked(address)].join(" ")),
        );
        print(socket.monitor() === socket);
      }
      await new Promise((resolve) => rep.bind(ANY, resolve));
      await sleep(20);
      req.connect(rep.last_endpoint);
      await sleep(100);
      told.push("rep close the other");
      req.close();
      await sleep(100);
      rep.close();
      await sleep(50);
      for (const role of ["rep", "req"]) for (const line of told) if (line.startsWith(role)) print(line);
    },
  },
  {
    title: "monitor tells of a bind that failed",
    async run(zmq, print) {
      const first = zmq.socket("rep");
      const second = zmq.socket("rep");
      first.bindSync(ANY);
      second.monitor();
      const told = next(second, "bind_error");
      /** @type {NodeJS.ErrnoException} */
      const failure = await new Promise((resolve) => second.bind(first.last_endpoint, resolve));
      print("callback", failure.code);
      const [value, address, error] = await told;
      print(value, masked(address), error instanceof Error, error.code);
      await sleep(20);
      first.close();
      second.close();
    },
  },
  {
    title: "bind, unbind and their errors",
    async run(zmq, print) {
      const socket = zmq.socket("pull");
      socket.on("error", (/** @type {NodeJS.ErrnoException & { address: string }} */ error) =>
        print("error", error.code, error.message, error.address),
      );
      for (const name of ["bind", "unbind"]) {
        socket.on(name, (/** @type {string} */ address) => print(name, masked(address)));
      }
      const told = next(socket, "bind");
      print(socket.bind(ANY) === socket);
      print(
        outcome(() => socket.bind(ANY)),
        outcome(() => socket.connect("tcp://127.0.0.1:1")),
      );
      await told;
      const address = socket.last_endpoint;
      await new Promise((resolve) => socket.unbind(address, resolve));
      print("unbind", (await new Promise((resolve) => socket.unbind(address, resolve))).code);
      socket.bind("tcp://nowhere");
      await next(socket, "error");
      print("bind", (await new Promise((resolve) => socket.bind("foo", resolve))).code);
      print(
        outcome(() => void socket.bindSync("foo://bar")),
        await whenFree(() => void socket.bindSync(address)),
      );
      for (const method of ["bind", "unbind", "connect", "disconnect", "bindSync", "unbindSync"]) {
        print(
          method,
          outcome(() => socket[method]()),
        );
      }
      print(outcome(() => socket.disconnect("tcp://127.0.0.1:1")));
      print(socket.connect("tcp://127.0.0.1:1") === socket, socket.disconnect("tcp://127.0.0.1:1") === socket);
      socket.close();
      for (const method of ["bind", "unbind", "connect", "disconnect", "bindSync", "unbindSync", "monitor"]) {
        print(
          method,
          outcome(() => socket[method](address)),
        );
      }
      print(
        outcome(() => socket.pause()),
        outcome(() => socket.resume()),
      );
    },
  },
  {
    title: "timeouts",
    async run(zmq, print) {
      const push = zmq.socket("push");
      push.on("error", (/** @type {NodeJS.ErrnoException} */ error) => print("error", error.code, error.message));
      push.setsockopt(zmq.ZMQ_SNDTIMEO, 30);
      push.bindSync(ANY);
      push.send("one", 0, (/** @type {NodeJS.ErrnoException} */ error) => print("callback", error.code));
      push.send("two");
      await sleep(200);
      push.close();
    },
  },
  {
    title: "a stream socket as HTTP server",
    async run(zmq, print) {
      const stream = zmq.socket("stream");
      stream.bindSync(ANY);
      stream.on("message", (/** @type {Buffer} */ id, /** @type {Buffer} */ octets) => {
        print(id.length, octets.length === 0 ? "connection" : String(octets).split("\r\n")[0]);
        if (octets.length === 0) return;
        stream.send([id, "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nhello"]);
        stream.send([id, ""]);
      });
      const { get } = await import("node:http");
      const text = await new Promise((resolve) => {
        get(stream.last_endpoint.replace("tcp", "http"), { agent: false }, (response) => {
          response.setEncoding("utf8").on("data", resolve);
        });
      });
      print(text);
      await sleep(50);
      stream.close();
    },
  },
];
