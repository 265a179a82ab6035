/**
 * The values of options as they are stored: one flat object for each socket and each context. Its type follows from the
 * documented types in `public.ts`; what else there is to say of an option, its first value included, is its row in
 * `table.ts`.
 *
 * A number is stored as a number, a switch as a boolean, octets as a `Buffer` that is empty while unset. What is stored
 * in another form is listed here.
 */
import type {
  ContextOptions,
  DealerOptions,
  PublisherOptions,
  ReaderOptions,
  ReplyOptions,
  RequestOptions,
  RouterOptions,
  SocketOptionsCommon,
  StreamOptions,
  SubscriberOptions,
  Verbosity,
  WriterOptions,
  XPublisherOptions,
  XSubscriberOptions,
} from "./public.ts";

/** Protects a connection; null is the NULL mechanism. */
export type SecurityMechanism = SocketOptionsCommon["securityMechanism"];

export { SOCKET_TYPE_NAMES, SOCKET_TYPES, type SocketTypeName, type SocketTypeNumber } from "./socket-types.ts";

/** The documented options of all classes. */
export type PublicOptions = SocketOptionsCommon &
  WriterOptions &
  ReaderOptions &
  RequestOptions &
  ReplyOptions &
  DealerOptions &
  RouterOptions &
  PublisherOptions &
  SubscriberOptions &
  XPublisherOptions &
  XSubscriberOptions &
  StreamOptions;

/** Documented for programs that name them, and not available: sockets do not even have the properties. */
type Missing = `gssapi${string}`;

/** Options that nothing is stored for: computed when they are read, or refused. */
export type Unstored = "topicsCount" | `vmci${string}`;

/** Values that are stored in another form than their documented type tells, and those of no class. */
interface OwnForms {
  type: number;
  /** The resolved form of the endpoint bound or connected last; empty before. */
  lastEndpoint: string;
  interface: string;
  socksProxy: string;
  socksUsername: string;
  socksPassword: string;
  /** CIDR texts; a peer has to lie in one of them. Empty admits all. */
  tcpAcceptFilter: readonly string[];
  /** `plainServer` and `curveServer` are views of the same switch: all are set through `selectMechanism`. */
  securityMechanism: SecurityMechanism;
  /** Application properties for READY, in the order of their names' octets. */
  metadata: ReadonlyMap<string, Buffer>;
  verbosity: Verbosity;
  /** Given to the next outgoing connection, then cleared by whoever made it. By number only. */
  connectRoutingId: Buffer;
  /** Of sockets that this package does not have. */
  multicastLoop: boolean;
}

type Stored<V> = V extends number ? number : V extends boolean ? boolean : Buffer;

type StoredName = Exclude<keyof PublicOptions, Missing | Unstored> | keyof OwnForms;

/** All values of one socket. */
export type OptionValues = {
  -readonly [K in StoredName]: K extends keyof OwnForms
    ? OwnForms[K]
    : K extends keyof PublicOptions
      ? Stored<PublicOptions[K]>
      : never;
};

/** All values of one context. */
export type ContextValues = { -readonly [K in keyof ContextOptions]: ContextOptions[K] };

/** The options as they stand now: a bind or connect goes by them, whatever is set later. */
export function snapshot(options: OptionValues): OptionValues {
  return { ...options };
}

type ServerSwitch = "plainServer" | "curveServer";

/** The switch that makes an end the server, by mechanism. */
const SERVER_SWITCHES: Readonly<Record<Exclude<NonNullable<SecurityMechanism>, "gssapi">, ServerSwitch>> = {
  plain: "plainServer",
  curve: "curveServer",
};

/** True when this end is the server of its mechanism. */
export function isServer(options: Pick<OptionValues, ServerSwitch>): boolean {
  return Object.values(SERVER_SWITCHES).some((name) => options[name]);
}

/** Chooses the mechanism and this end's role; the last choice wins. */
export function selectMechanism(options: OptionValues, mechanism: SecurityMechanism, asServer: boolean): void {
  options.securityMechanism = mechanism;
  for (const [of, name] of Object.entries(SERVER_SWITCHES)) options[name] = asServer && mechanism === of;
}
