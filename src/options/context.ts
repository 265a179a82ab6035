/** The options of a context: the rules. Number 3 reads the limit of sockets and writes the priority of threads, as libzmq has it. */
import type { ContextValues } from "./values.ts";

export interface ContextRow {
  readonly name: keyof ContextValues;
  readonly id: number;
  readonly kind: "bool" | "int32";
  readonly access: "rw" | "r" | "w";
  readonly minimum: number;
}

/** An option of this package's own. */
const NO_NUMBER = -1;

export const CONTEXT_OPTIONS: readonly ContextRow[] = [
  { name: "busyPoll", id: NO_NUMBER, kind: "int32", access: "rw", minimum: 0 },
  { name: "ioThreads", id: 1, kind: "int32", access: "rw", minimum: 0 },
  { name: "maxSockets", id: 2, kind: "int32", access: "rw", minimum: 1 },
  { name: "maxSocketsLimit", id: 3, kind: "int32", access: "r", minimum: 0 },
  { name: "threadPriority", id: 3, kind: "int32", access: "w", minimum: 0 },
  { name: "threadSchedulingPolicy", id: 4, kind: "int32", access: "w", minimum: 0 },
  { name: "maxMessageSize", id: 5, kind: "int32", access: "rw", minimum: 0 },
  { name: "ipv6", id: 42, kind: "bool", access: "rw", minimum: 0 },
  { name: "blocky", id: 70, kind: "bool", access: "rw", minimum: 0 },
];
