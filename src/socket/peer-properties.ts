/** What READY says of a socket, for peers in the same process, which exchange no READY. */
import { type OptionValues, SOCKET_TYPE_NAMES, SOCKET_TYPES } from "../options.ts";

/** The types that announce their routing id. */
const IDENTIFIED: ReadonlySet<number> = new Set([SOCKET_TYPES.REQ, SOCKET_TYPES.DEALER, SOCKET_TYPES.ROUTER]);

export function peerProperties(options: OptionValues): ReadonlyMap<string, Buffer> {
  const properties = new Map<string, Buffer>();
  properties.set("Socket-Type", Buffer.from(SOCKET_TYPE_NAMES[options.type] ?? ""));
  if (IDENTIFIED.has(options.type)) properties.set("Identity", options.routingId);
  for (const [name, value] of options.metadata) properties.set(name, value);
  return properties;
}
