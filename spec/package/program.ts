/**
 * A program for `zeromq`, as its users write them: every kind of thing that its types are used for, in words that
 * TypeScript 3.7 knows. `tarball.test.ts` compiles it against this package, and against the original too, so that
 * nothing gets in that is ours alone.
 */
import * as zmq from "zmtp";
import * as v5 from "zmtp/v5-compat";

export const version: string = zmq.version;
export const pair: { publicKey: string; secretKey: string } = zmq.curveKeyPair();

export function able(): boolean[] {
  const { ipc, pgm, tipc, norm, curve, gssapi, draft } = zmq.capability;
  return [ipc, pgm, tipc, norm, curve, gssapi, draft].map((value: boolean | undefined) => value === true);
}

export function contexts(): zmq.Context {
  const context = new zmq.Context({ ioThreads: 1, ipv6: true, blocky: false });
  context.threadPriority = 4;
  context.maxSockets = Math.min(context.maxSocketsLimit, 2 * zmq.context.maxSockets);
  return context;
}

/** The numbers of the types are compared with literals, which a `number` would be too; but they are no others. */
export function types(socket: zmq.Socket): string {
  if (socket.type === 6) return "router";
  return socket.type === 5 ? "dealer" : "another";
}

export async function endpoints(dealer: zmq.Dealer, router: zmq.Router): Promise<string | null> {
  await dealer.bind("tcp://127.0.0.1:*");
  dealer.bindSync("tcp://127.0.0.1:*");
  await dealer.unbind("tcp://127.0.0.1:1");
  dealer.unbindSync("tcp://127.0.0.1:1");
  dealer.connect("tcp://127.0.0.1:1");
  dealer.disconnect("tcp://127.0.0.1:1");
  const options: zmq.RouterConnectOptions = { routingId: "remote" };
  const id: string | undefined = options.routingId;
  router.connect("tcp://127.0.0.1:1", options);
  router.connect("tcp://127.0.0.1:1", { routingId: id || "another" });
  return dealer.lastEndpoint;
}

export async function messages(socket: zmq.Dealer): Promise<number> {
  const [one, two] = await socket.receive();
  await socket.send(one);
  await socket.send([one, two]);
  await socket.send([null, Buffer.alloc(1), "text", 1]);
  await socket.send(new Uint8Array(1));
  await socket.send(null);
  let octets = 0;
  for await (const [first, ...rest] of socket) octets += first.length + rest.length;
  return octets;
}

/** What is sent and received can be told by type parameters. */
export async function pass(
  from: zmq.Readable<[zmq.Message, zmq.Message]>,
  to: zmq.Writable<[string, Buffer]>,
): Promise<void> {
  const [, body] = await from.receive();
  await to.send(["text", body]);
}

export async function stream(socket: zmq.Stream, options: zmq.StreamConnectOptions): Promise<void> {
  socket.connect("tcp://127.0.0.1:1", options);
  const [id, octets] = await socket.receive();
  await socket.send([id, octets]);
  const reader: zmq.Readable<[Buffer, Buffer]> = socket;
  for await (const [from, more] of reader) await pass(socket, { ...writer, send: () => socket.send([from, more]) });
}
declare const writer: zmq.Writable<[string, Buffer]>;

export function options(publisher: zmq.XPublisher): Array<string | null> {
  publisher.verbosity = "allSubs";
  publisher.welcomeMessage = "hello";
  const welcome: string | null = publisher.welcomeMessage;
  const given: zmq.SocketOptions<zmq.Router> = {
    mandatory: true,
    routingId: "id",
    sendTimeout: 0,
    context: zmq.context,
  };
  const router = new zmq.Router(given);
  const named: string | null = router.routingId;
  const known: boolean = router.gssapiServer;
  return [welcome, named, router.curvePublicKey, known ? router.plainUsername : router.securityMechanism];
}

/** A class of the program's own, whose options are its base's. */
export class Worker extends zmq.Pull {
  constructor(settings?: zmq.SocketOptions<zmq.Pull>) {
    super(settings);
    this.receiveHighWaterMark = 10;
  }
}

export const every: Array<zmq.Socket> = [
  new zmq.Pair(),
  new zmq.Publisher({ noDrop: true }),
  new zmq.Subscriber({ conflate: true }),
  new zmq.Request({ relaxed: true, correlate: true }),
  new zmq.Reply(),
  new zmq.Push(),
  new zmq.XSubscriber(),
  new zmq.Stream({ notify: false }),
  new Worker({ linger: 0 }),
];

export function events(observer: zmq.Observer, errors: Array<string | number>): zmq.EventSubscriber {
  observer.on("connect:retry", (details) => errors.push(details.interval, details.address));
  observer.on("handshake:error:auth", (details) => errors.push(details.error.status));
  observer.on("handshake:error:protocol", ({ error }) => errors.push(error.code, error.message));
  const subscriber: zmq.EventSubscriber = observer.on("bind", (details: { address: string }) =>
    errors.push(details.address),
  );
  return subscriber.off("bind", ({ type }) => errors.push(type));
}

export async function monitor(socket: zmq.Socket): Promise<zmq.EventType[]> {
  const seen: zmq.EventType[] = [];
  const first: zmq.Event = await socket.events.receive();
  const retry = (event: zmq.EventOfType<"connect:retry">): number => event.interval;
  for await (const event of socket.events) {
    switch (event.type) {
      case "end":
      case "unknown":
        break;
      case "connect:retry":
        retry(event);
        break;
      case "accept:error":
      case "bind:error":
      case "close:error":
      case "handshake:error:other":
        console.log(event.error.code, event.error.errno, event.address);
        break;
      default:
        console.log(event.address);
    }
    seen.push(event.type, first.type);
  }
  return seen;
}

export async function proxy(): Promise<void> {
  const both: zmq.Proxy<zmq.Router, zmq.Dealer> = new zmq.Proxy(new zmq.Router(), new zmq.Dealer());
  await both.run();
  both.pause();
  both.resume();
  both.terminate();
  both.frontEnd.mandatory = both.backEnd.closed;
}

/** Version 5. */
class Requester extends v5.Socket {
  ask(text: string): this {
    return this.send(text, v5.ZMQ_SNDMORE).send([text, Buffer.from(text)], 0, (error?: Error) => error);
  }
}

export function old(): v5.Socket {
  const type: v5.SocketType = "xreq";
  const socket: v5.Socket = v5.createSocket(type, { linger: 0 });
  socket.identity = "me";
  socket.on("message", (...frames: Buffer[]) => frames.length);
  socket.bind("tcp://127.0.0.1:1", (error?: Error) => error).unbind("tcp://127.0.0.1:1");
  socket.setsockopt("linger", 0).setsockopt(v5.ZMQ_LINGER, 0).connect("tcp://127.0.0.1:1").monitor(500, 0).unmonitor();
  const linger: string | number | boolean | null = socket.getsockopt("linger");
  console.log(linger, v5.options.linger, v5.curveKeypair().public, v5.Context.getMaxSockets(), v5.version);
  v5.proxy(v5.socket("xrep"), v5.socket("dealer"), socket);
  return new Requester("req").ask("text").close();
}
