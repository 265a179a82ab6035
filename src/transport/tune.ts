/** The options that a tcp connection has from its start. */
import type { Socket } from "node:net";
import type { OptionValues } from "../options/values.ts";

/** The options that Node can set of a tcp connection. */
export type TuneOptions = Pick<OptionValues, "tcpKeepalive" | "tcpKeepaliveIdle"> &
  Partial<Pick<OptionValues, "typeOfService">>;

/** A socket since Node 26. */
interface Serviced {
  setTypeOfService?(value: number): void;
}

/** The largest value that an IP packet has room for. */
const TYPE_OF_SERVICE_MAX = 255;

/**
 * Sets the options of a new tcp connection. Of those for keep-alive, Node can set two: on or off, and the idle seconds.
 */
export function tune(socket: Socket, options: TuneOptions): void {
  socket.setNoDelay(true);
  const { typeOfService = 0 } = options;
  if (typeOfService > 0 && typeOfService <= TYPE_OF_SERVICE_MAX) {
    (socket as Serviced).setTypeOfService?.(typeOfService);
  }
  if (options.tcpKeepalive === 1) socket.setKeepAlive(true, Math.max(options.tcpKeepaliveIdle, 0) * 1000);
  else if (options.tcpKeepalive === 0) socket.setKeepAlive(false);
}
