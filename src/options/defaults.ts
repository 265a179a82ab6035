/**
 * The first values of options, as the rows tell them. Objects are copies of one that is made once: all sockets' values
 * have the same shape, so that `options.sendHighWaterMark` is a plain field load wherever it is read.
 */
import type { OptionRow, SocketDefaults } from "./kinds.ts";
import { CONTEXT_OPTIONS, OPTIONS } from "./table.ts";
import type { ContextValues, OptionValues } from "./values.ts";

const NO_CONTEXT: SocketDefaults = { blocky: true, ipv6: false };

/** The first value of an option for a socket of this type. */
export function initialOf({ initial }: OptionRow, type: number, context: SocketDefaults): unknown {
  return typeof initial === "function" ? initial(type, context) : initial;
}

function firstValues(rows: readonly OptionRow[]): Record<string, unknown> {
  const stored = rows.filter(({ initial }) => initial !== undefined);
  return Object.fromEntries(stored.map((row) => [row.name, initialOf(row, 0, NO_CONTEXT)]));
}

const SOCKET_VALUES = firstValues(OPTIONS);
const CONTEXT_VALUES = firstValues(CONTEXT_OPTIONS);

/** The options whose first value depends on the socket. */
const DEPENDENT = OPTIONS.filter(({ initial }) => typeof initial === "function");

/** The values of a new socket. */
export function createOptions(type: number, context: SocketDefaults): OptionValues {
  const values = { ...SOCKET_VALUES };
  for (const row of DEPENDENT) values[row.name as string] = initialOf(row, type, context);
  return values as unknown as OptionValues;
}

/** The values of a new context. */
export function createContextOptions(): ContextValues {
  return { ...CONTEXT_VALUES } as unknown as ContextValues;
}
