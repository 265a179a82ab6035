/** What this implementation says of itself, in the terms of the `zeromq` package. */

/** The version of libzmq whose behaviour this is: programs compare it. */
export const version: string = "4.3.5";

/** What can be used. */
export const capability: Readonly<Record<string, boolean>> = {
  ipc: true,
  pgm: false,
  tipc: false,
  norm: false,
  curve: true,
  gssapi: false,
  draft: true,
};
