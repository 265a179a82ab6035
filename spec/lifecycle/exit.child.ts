/**
 * One way in which a process may end, chosen by the first argument. The second is an address, the third a linger time.
 */
import * as zmq from "zmtp";

const [scene, address, linger] = process.argv.slice(2) as [string, string, string];

/** Tells the parent. */
function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Waits until a connection of `socket` is up, and stops listening to events. */
async function up(socket: zmq.Socket): Promise<void> {
  for await (const event of socket.events) if (event.type === "handshake") break;
}

const body = Buffer.alloc(100, "x");

const scenes: Record<string, () => unknown> = {
  async idle() {
    const pull = new zmq.Pull();
    await pull.bind("tcp://127.0.0.1:*");
    const push = new zmq.Push();
    push.connect(pull.lastEndpoint as string);
    const dead = new zmq.Subscriber();
    dead.connect(address);
    new zmq.Reply().bindSync("inproc://idle");
    new zmq.Request().connect("inproc://idle");
    const events = push.events;
    say(`up ${events !== undefined}`);
  },
  async receive() {
    const pull = new zmq.Pull();
    await pull.bind("tcp://127.0.0.1:*");
    pull.receive();
    say("up");
  },
  send() {
    new zmq.Push().send("x");
    say("up");
  },
  events() {
    new zmq.Push().events.receive();
    say("up");
  },
  async again() {
    for (let i = 0; i < 3; i++) {
      const pull = new zmq.Pull({ linger: 0 });
      const gone = new Promise<void>((resolve) => pull.events.on("disconnect", () => resolve()));
      const push = new zmq.Push({ linger: 0 });
      await push.bind("tcp://127.0.0.1:*");
      pull.connect(push.lastEndpoint as string);
      await push.send("x");
      await pull.receive();
      push.close();
      await gone;
      pull.close();
    }
    const pull = new zmq.Pull();
    await pull.bind("tcp://127.0.0.1:*");
    pull.receive();
    say("up");
  },
  async exit() {
    const push = new zmq.Push();
    push.connect(address);
    await up(push);
    for (let i = 0; i < 1000; i++) await push.send(`${i}`);
    process.exit(0);
  },
  async exitClosed() {
    const push = new zmq.Push();
    push.connect(address);
    await up(push);
    for (let i = 0; i < 1000; i++) await push.send(`${i}`);
    push.close();
    process.exit(0);
  },
  async end() {
    const push = new zmq.Push();
    push.connect(address);
    for (let i = 0; i < 1000; i++) await push.send(`${i}`);
  },
  async close() {
    const push = new zmq.Push();
    push.connect(address);
    for (let i = 0; i < 1000; i++) await push.send(`${i}`);
    push.close();
  },
  /** Much more than the kernel takes, to a peer that reads late. */
  async bulk() {
    const push = new zmq.Push({ sendHighWaterMark: 0 });
    push.connect(address);
    await up(push);
    for (let i = 0; i < 200; i++) await push.send(Buffer.alloc(100_000, i));
    push.close();
  },
  /** The same, but the peer never reads. */
  async stuck() {
    const push = new zmq.Push({ sendHighWaterMark: 0, linger: 300 });
    push.connect(address);
    await up(push);
    for (let i = 0; i < 200; i++) await push.send(Buffer.alloc(100_000, i));
    say("up");
  },
  async lingers() {
    const push = new zmq.Push({ linger: Number(linger) });
    push.connect(address);
    await push.send(body);
    say("up");
  },
  async lingersClosed() {
    const push = new zmq.Push({ linger: Number(linger) });
    push.connect(address);
    await push.send(body);
    push.close();
    say("up");
  },
  async forever() {
    const push = new zmq.Push();
    push.connect(address);
    await push.send(body);
    say("up");
  },
  /** Closed, with an endpoint that has nothing to deliver beside the one that has. */
  async foreverClosed() {
    const push = new zmq.Push();
    await push.bind("tcp://127.0.0.1:*");
    push.connect(address);
    await push.send(body);
    push.close();
    say("up");
  },
  async quiet() {
    zmq.context.blocky = false;
    const push = new zmq.Push();
    push.connect(address);
    await push.send(body);
    say(`up ${push.linger}`);
  },
  async quietBlocks() {
    zmq.context.blocky = false;
    const push = new zmq.Push({ linger: -1 });
    push.connect(address);
    await push.send(body);
    say("up");
  },
  async inproc() {
    const push = new zmq.Push();
    push.connect("inproc://nobody");
    await push.send(body);
    say("up");
  },
  async noRetry() {
    const push = new zmq.Push({ reconnectInterval: -1 });
    const { events } = push;
    push.connect(address);
    await push.send(body);
    for await (const event of events) if (event.type === "close") break;
    say("up");
  },
  /** A bound socket's messages to a peer that is up. */
  async bound() {
    const push = new zmq.Push();
    push.bindSync("tcp://127.0.0.1:*");
    say(push.lastEndpoint as string);
    for (let i = 0; i < 1000; i++) await push.send(`${i}`);
    process.exit(0);
  },
};

await scenes[scene]();
