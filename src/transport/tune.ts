/** The options that a tcp connection has from its start. */
import type { Socket } from "node:net";
import type { OptionValues } from "../options/values.ts";

/** What Node can set of a tcp connection. */
export type TuneOptions = Pick<OptionValues, "tcpKeepalive" | "tcpKeepaliveIdle"> &
  Partial<Pick<OptionValues, "typeOfService">>;

/** Since Node 26. */
interface Serviced {
  setTypeOfService?(value: number): void;
}

/** What an IP packet has room for. */
const TYPE_OF_SERVICE_MAX = 255;

/** Sets what a tcp connection has from its start. Of the keep-alive options Node can set two: whether, and after how many idle seconds. */
export function tune(socket: Socket, options: TuneOptions): void {
  socket.setNoDelay(true);
  const { typeOfService = 0 } = options;
  if (typeOfService > 0 && typeOfService <= TYPE_OF_SERVICE_MAX) {
    (socket as Serviced).setTypeOfService?.(typeOfService);
  }
  if (options.tcpKeepalive === 1) socket.setKeepAlive(true, Math.max(options.tcpKeepaliveIdle, 0) * 1000);
  else if (options.tcpKeepalive === 0) socket.setKeepAlive(false);
}
