/** What tests of security share: keys, options of either side, ZAP handlers, and events in short. */
import { Context, curveKeyPair, type Event, Reply, Router, type Socket } from "zmtp";
import type { Sockets } from "../helpers/sockets.ts";

export const ZAP = "inproc://zeromq.zap.01";

export const keys = { server: curveKeyPair(), client: curveKeyPair(), stranger: curveKeyPair() };

export const curveServer = {
  curveServer: true,
  curvePublicKey: keys.server.publicKey,
  curveSecretKey: keys.server.secretKey,
};

/** A client's options, as the owner of a key pair. */
export function curveClientOf(
  own: { publicKey: string; secretKey: string },
  serverKey: string = keys.server.publicKey,
) {
  return { curveServerKey: serverKey, curvePublicKey: own.publicKey, curveSecretKey: own.secretKey };
}

export const curveClient = curveClientOf(keys.client);
export const plainServer = { plainServer: true, zapDomain: "test" };
export const plainClient = { plainUsername: "admin", plainPassword: "secret" };

/** No test has to wait for the usual times. */
export const quick = { linger: 0, reconnectInterval: 20 };

export type Frames = (string | Buffer)[];

/** The answer to a request, without delimiter. */
export function answer(
  request: readonly Buffer[],
  status: string,
  userId = "",
  metadata: string | Buffer = "",
): Frames {
  return ["1.0", request[1], status, `text of ${status}`, status === "200" ? userId : "", metadata];
}

/** A handler of the program's own. `decide` answers a request, frames behind the delimiter, or not at all. */
export async function handle(
  sockets: Sockets,
  context: Context,
  decide: (request: Buffer[]) => Frames | undefined | Promise<Frames | undefined>,
  type: "REP" | "ROUTER" = "REP",
): Promise<{ requests: string[][]; socket: Reply | Router }> {
  const requests: string[][] = [];
  const socket = sockets.own(type === "REP" ? new Reply({ context, linger: 0 }) : new Router({ context, linger: 0 }));
  await socket.bind(ZAP);
  const serve = async (): Promise<void> => {
    for await (const frames of socket) {
      const way = type === "REP" ? [] : frames.splice(0, 2);
      requests.push(frames.map((frame) => (frame.length === 32 ? frame.toString("hex") : frame.toString())));
      const reply = await decide(frames);
      if (reply !== undefined) await socket.send([...way, ...reply]);
    }
  };
  serve().catch(() => {});
  return { requests, socket };
}

/** What an event tells, in short. Whether a close is seen as such or as a reset is up to the kernel. */
function short(event: Event): string {
  const { error } = event as { error?: { code?: string; status?: number } };
  if (error === undefined) return event.type;
  return `${event.type} ${error.status ?? error.code?.replace(/EPIPE|ECONNRESET/, "gone")}`;
}

export interface Watched {
  /** The events about handshakes and ends of connections, in short. */
  readonly seen: string[];
  readonly events: Event[];
  /** The delays before each further attempt. */
  readonly retries: number[];
}

/** Notes the events of a socket. */
export function watch(socket: Socket): Watched {
  const watched: Watched = { seen: [], events: [], retries: [] };
  const read = async (): Promise<void> => {
    for await (const event of socket.events) {
      watched.events.push(event);
      if (/^(handshake|disconnect)/.test(event.type)) watched.seen.push(short(event));
      if (event.type === "connect:retry") watched.retries.push(event.interval);
    }
  };
  read();
  return watched;
}

/** A context of its own for each test: a handler serves all sockets of one. */
export const fresh = (): Context => new Context();
