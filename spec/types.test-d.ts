/**
 * What the types allow, checked by `npm run types`: each class has exactly the methods and options that it should.
 * Nothing here is ever run; where a line must not compile, the comment above it says so, and fails when it does.
 */

import type {
  Context,
  Dealer,
  Event,
  EventOfType,
  EventType,
  Message,
  MessageLike,
  Observer,
  Pair,
  Peer,
  Proxy,
  Publisher,
  Pull,
  Push,
  Readable,
  Reply,
  Request,
  Router,
  Socket,
  SocketOptions,
  Stream,
  Subscriber,
  Writable,
  XPublisher,
  XSubscriber,
} from "zmtp";
import * as zmtp from "zmtp";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles for `true` only. */
declare function expect<_ extends true>(): void;

type MethodsOf<S> = Extract<
  { [K in keyof S]: S[K] extends (...given: never[]) => unknown ? K : never }[keyof S],
  string
>;
/** What is no method and not on every socket. */
type OptionsOf<S> = Exclude<keyof S, keyof Socket | MethodsOf<S> | typeof Symbol.asyncIterator | "lastPeer">;

type RawMethods = `${"get" | "set"}${"Bool" | "Int32" | "Uint32" | "Int64" | "Uint64" | "String"}Option`;
type BaseMethods = "bind" | "bindSync" | "unbind" | "unbindSync" | "connect" | "disconnect" | "close" | RawMethods;
type Sends = "send" | "sendMany";
type Receives = "receive" | "receiveMany";
type Subscribes = "subscribe" | "unsubscribe";

type Writes = "sendBufferSize" | "sendHighWaterMark" | "sendTimeout" | "multicastHops";
type Reads = "receiveBufferSize" | "receiveHighWaterMark" | "receiveTimeout";

export function methods(): void {
  expect<Equal<MethodsOf<Socket>, BaseMethods>>();
  expect<Equal<MethodsOf<Push>, BaseMethods | Sends>>();
  expect<Equal<MethodsOf<Publisher>, BaseMethods | Sends>>();
  expect<Equal<MethodsOf<Pull>, BaseMethods | Receives>>();
  expect<Equal<MethodsOf<Subscriber>, BaseMethods | Receives | Subscribes>>();
  expect<Equal<MethodsOf<Pair>, BaseMethods | Sends | Receives>>();
  expect<Equal<MethodsOf<Request>, BaseMethods | Sends | Receives>>();
  expect<Equal<MethodsOf<Reply>, BaseMethods | Sends | Receives>>();
  expect<Equal<MethodsOf<Dealer>, BaseMethods | Sends | Receives>>();
  expect<Equal<MethodsOf<Router>, BaseMethods | Sends | Receives>>();
  expect<Equal<MethodsOf<Stream>, BaseMethods | Sends | Receives>>();
  expect<Equal<MethodsOf<XSubscriber>, BaseMethods | Sends | Receives>>();
  expect<Equal<MethodsOf<XPublisher>, BaseMethods | Sends | Receives | Subscribes>>();
  expect<Equal<MethodsOf<Proxy>, "run" | "pause" | "resume" | "terminate">>();
  expect<Equal<MethodsOf<Observer>, "close" | "receive" | "on" | "off">>();
}

export function options(): void {
  type Routed = "routingId";
  expect<Equal<OptionsOf<Push>, Writes | "conflate">>();
  expect<Equal<OptionsOf<Pull>, Reads | "conflate">>();
  expect<Equal<OptionsOf<Publisher>, Writes | "conflate" | "noDrop" | "invertMatching" | "topicsCount">>();
  expect<Equal<OptionsOf<Subscriber>, Reads | "conflate" | "invertMatching" | "topicsCount">>();
  expect<Equal<OptionsOf<Pair>, Writes | Reads>>();
  expect<Equal<OptionsOf<Request>, Writes | Reads | Routed | "probeRouter" | "correlate" | "relaxed">>();
  expect<Equal<OptionsOf<Reply>, Writes | Reads | Routed>>();
  type DealerOwn = Routed | "probeRouter" | "conflate" | "helloMessage" | "hiccupMessage";
  expect<Equal<OptionsOf<Dealer>, Writes | Reads | DealerOwn>>();
  type RouterOwn =
    | Routed
    | "probeRouter"
    | "mandatory"
    | "handover"
    | "routerNotify"
    | "helloMessage"
    | "disconnectMessage";
  expect<Equal<OptionsOf<Router>, Writes | Reads | RouterOwn>>();
  expect<Equal<OptionsOf<Stream>, Writes | Reads | "notify">>();
  type Publishing = "noDrop" | "invertMatching" | "topicsCount";
  type XPublisherOwn =
    | Publishing
    | "manual"
    | "manualLastValue"
    | "welcomeMessage"
    | "verbosity"
    | "onlyFirstSubscribe";
  expect<Equal<OptionsOf<XPublisher>, Writes | Reads | XPublisherOwn>>();
  type XSubscriberOwn = "topicsCount" | "onlyFirstSubscribe" | "verboseUnsubscribe";
  expect<Equal<OptionsOf<XSubscriber>, Writes | Reads | XSubscriberOwn>>();
}

/** What the constructors take: options that can be set, and the context. */
export function constructors(): void {
  new zmtp.Push({ linger: 0, sendHighWaterMark: 1, context: new zmtp.Context() });
  new zmtp.Router({ mandatory: true, routingId: "r", handover: true });
  new zmtp.XPublisher({ verbosity: "allSubs", manual: true, welcomeMessage: null });
  new zmtp.Context({ blocky: false, maxSockets: 10, threadPriority: 1 });
  // @ts-expect-error: a PUSH receives nothing
  new zmtp.Push({ receiveTimeout: 1 });
  // @ts-expect-error: read-only
  new zmtp.Push({ lastEndpoint: "x" });
  // @ts-expect-error: a method is no option
  new zmtp.Push({ bind: () => {} });
  // @ts-expect-error: of another type
  new zmtp.Pull({ mandatory: true });
  // @ts-expect-error: a value of the wrong kind
  new zmtp.Push({ linger: "0" });
  // @ts-expect-error: no such value
  new zmtp.XPublisher({ verbosity: "all" });
  // @ts-expect-error: read-only
  new zmtp.Context({ maxSocketsLimit: 1 });
  // @ts-expect-error: the base is not made by itself
  new zmtp.Socket(8);
  expect<
    Equal<keyof SocketOptions<Pair> & ("context" | "linger" | "sendTimeout"), "context" | "linger" | "sendTimeout">
  >();
  expect<Equal<keyof SocketOptions<Pair> & ("lastEndpoint" | "type" | "close" | "lastPeer" | "events"), never>>();
}

interface Every {
  push: Push;
  pull: Pull;
  publisher: Publisher;
  subscriber: Subscriber;
  xpublisher: XPublisher;
  router: Router;
  stream: Stream;
  dealer: Dealer;
  context: Context;
}

export function refusals({ push, pull, publisher, subscriber, router, dealer, context }: Every): void {
  // @ts-expect-error: a PUSH receives nothing
  push.receive;
  // @ts-expect-error: nor can it be iterated
  push[Symbol.asyncIterator];
  // @ts-expect-error: a PULL sends nothing
  pull.send;
  // @ts-expect-error: a PUB receives nothing
  publisher.receive;
  // @ts-expect-error: a SUB sends nothing
  subscriber.send;
  // @ts-expect-error: subscriptions are for subscribers
  publisher.subscribe;
  // @ts-expect-error: groups are for the draft types
  dealer.join;
  // @ts-expect-error: only ROUTER and STREAM know peers by an id
  dealer.connect("tcp://127.0.0.1:1", { routingId: "x" });
  // @ts-expect-error: no such option
  router.connect("tcp://127.0.0.1:1", { name: "x" });
  // @ts-expect-error: read-only
  push.type = 1;
  // @ts-expect-error: read-only
  push.lastEndpoint = "x";
  // @ts-expect-error: read-only
  publisher.topicsCount = 1;
  // @ts-expect-error: read-only
  context.maxSocketsLimit = 1;
  // @ts-expect-error: a message is not left out
  push.send();
  // @ts-expect-error: nor is it undefined
  push.send(undefined);
  // @ts-expect-error: arrays are not nested
  push.send([["a"]]);
  // @ts-expect-error: there is no default export
  zmtp.default;
}

export async function uses({ push, pull, subscriber, xpublisher, router, stream, dealer }: Every): Promise<void> {
  const texts: MessageLike[] = ["a", Buffer.from("b"), new Uint8Array(1), new ArrayBuffer(1), 1, 2n, true, null];
  await push.send(texts);
  for (const text of texts) await push.send(text);
  expect<Equal<Awaited<ReturnType<Push["send"]>>, void>>();
  expect<Equal<Awaited<ReturnType<Push["sendMany"]>>, number>>();
  const [first, ...rest]: Message[] = await pull.receive();
  expect<Equal<typeof first, Buffer>>();
  expect<Equal<typeof rest, Buffer[]>>();
  for await (const frames of dealer) expect<Equal<typeof frames, Message[]>>();
  const peer: Peer | undefined = pull.lastPeer;
  expect<Equal<typeof peer, Peer | undefined>>();
  subscriber.subscribe();
  subscriber.subscribe("a", Buffer.from("b"));
  subscriber.unsubscribe("a");
  xpublisher.subscribe("a");
  xpublisher.verbosity = null;
  router.connect("tcp://127.0.0.1:1", { routingId: "x" });
  stream.connect("tcp://127.0.0.1:1", { routingId: Buffer.from("x") });
  router.routingId = Buffer.from("x");
  expect<Equal<Router["routingId"], string | null>>();

  const readable: Readable[] = [pull, subscriber, router, dealer, stream];
  const writable: Writable[] = [push, router, dealer, stream, xpublisher];
  // @ts-expect-error: a PUSH is not readable
  readable.push(push);
  // @ts-expect-error: a PULL is not writable
  writable.push(pull);

  const proxy = new zmtp.Proxy(router, dealer);
  expect<Equal<typeof proxy.frontEnd, Router>>();
  expect<Equal<typeof proxy.backEnd, Dealer>>();
  expect<Equal<ReturnType<typeof proxy.run>, Promise<void>>>();
}

export async function events({ push }: Every): Promise<void> {
  const event: Event = await push.events.receive();
  if (event.type === "connect:retry") expect<Equal<typeof event.interval, number>>();
  if (event.type === "handshake:error:auth") expect<Equal<typeof event.error.status, 300 | 400 | 500>>();
  if (event.type === "bind") expect<Equal<typeof event.address, string>>();
  // @ts-expect-error: the end has no address
  if (event.type === "end") event.address;
  push.events.on("disconnect", ({ address }) => expect<Equal<typeof address, string>>());
  // @ts-expect-error: there is never an event of that name
  push.events.on("error", () => {});
  const retry = {} as EventOfType<"connect:retry">;
  expect<Equal<typeof retry.type, "connect:retry">>();
  const type: EventType = "accept:error";
  for await (const { type: each } of push.events) if (each === type) break;
}

/** The names that the original has for what its two types take. */
export function connects(
  { router, stream }: Every,
  to: zmtp.RouterConnectOptions,
  id: zmtp.StreamConnectOptions,
): void {
  router.connect("tcp://127.0.0.1:1", to);
  stream.connect("tcp://127.0.0.1:1", id);
  router.connect("tcp://127.0.0.1:1", { routingId: "id" });
}
