/** The properties by which this socket introduces itself, in READY and INITIATE, and over inproc without either. */
import { type OptionValues, SOCKET_TYPE_NAMES } from "../options/values.ts";
import { announcesRoutingId } from "./compatibility.ts";

/** Lists them in the order in which libzmq sends them. */
export function ownProperties(
  socketType: number,
  { routingId, metadata }: Pick<OptionValues, "routingId" | "metadata">,
): [name: string, value: Buffer][] {
  const properties: [string, Buffer][] = [["Socket-Type", Buffer.from(SOCKET_TYPE_NAMES[socketType], "latin1")]];
  if (announcesRoutingId(socketType)) properties.push(["Identity", routingId]);
  properties.push(...metadata);
  return properties;
}
