/**
 * Errors that users see. Every error carries a stable `code` and a positive `errno`, as libzmq numbers them, and the
 * endpoint it speaks of when there is one.
 */

/** Code to [errno, message]. Numbers are Linux's; those of 156384xxx are libzmq's own. */
const TABLE = {
  ENOENT: [2, "No such endpoint"],
  EAGAIN: [11, "Operation was not possible or timed out"],
  EACCES: [13, "Permission denied"],
  EFAULT: [14, "Context is closed"],
  EBUSY: [16, "Socket is busy"],
  ENODEV: [19, "No such device"],
  EINVAL: [22, "Invalid argument"],
  EMFILE: [24, "Too many open file descriptors"],
  EPIPE: [32, "Broken pipe"],
  ENAMETOOLONG: [36, "File name too long"],
  EBADF: [9, "Socket is closed"],
  ENOTSOCK: [88, "Socket operation on non-socket"],
  EMSGSIZE: [90, "Message too long"],
  EPROTO: [71, "Protocol error"],
  EPROTONOSUPPORT: [93, "Protocol not supported"],
  ENOTSUP: [95, "Operation not supported"],
  EADDRINUSE: [98, "Address already in use"],
  EADDRNOTAVAIL: [99, "Cannot assign requested address"],
  ENETUNREACH: [101, "Network is unreachable"],
  ECONNRESET: [104, "Connection reset by peer"],
  ETIMEDOUT: [110, "Connection timed out"],
  ECONNREFUSED: [111, "Connection refused"],
  EHOSTUNREACH: [113, "Host unreachable"],
  EFSM: [156384763, "Operation cannot be accomplished in current state"],
  ENOCOMPATPROTO: [156384764, "The protocol is not compatible with the socket type"],
} as const;

/** The codes that this package raises. */
export type ErrorCode = keyof typeof TABLE;

/** An error with libzmq's code and number. */
export class ErrnoError extends Error {
  /** Stable name of the error, as "EAGAIN"; Node's own for a system call that failed. */
  declare readonly code: string;
  /** Number of the error, positive: Linux's, or libzmq's for those that only it has. */
  declare readonly errno: number;
  /** Endpoint that the error is about, where there is one. */
  declare readonly address?: string;

  constructor(code: string, errno: number, message: string, address?: string, cause?: Error) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.errno = errno;
    if (address !== undefined) this.address = address;
  }
}

/**
 * Makes the error for `code`; `message` replaces the usual text, `address` is the endpoint concerned. Programs compare
 * messages with those that libzmq has, so what is wrong with what is said by the `cause`.
 */
export function errnoError(code: ErrorCode, address?: string, message?: string, cause?: string | Error): ErrnoError {
  const [errno, text] = TABLE[code];
  const why = typeof cause === "string" ? new Error(cause) : cause;
  return new ErrnoError(code, errno, message ?? text, address, why);
}

/** EINVAL for something that `what` tells, of the endpoint `address` if it is one. */
export function invalid(what: string, address?: string): ErrnoError {
  return errnoError("EINVAL", address, undefined, what);
}

/** The code of a message whose memory is gone: EFAULT alone could also be that nobody lets a peer in. */
export const BODY_DETACHED = "ERR_ZMTP_BODY_DETACHED";

/**
 * Makes the error for a message whose program has taken its memory away before it was written. Its number is EFAULT's.
 */
export function missingMemory(address?: string): ErrnoError {
  const text = "The memory of a message was taken away before it was written";
  return new ErrnoError(BODY_DETACHED, TABLE.EFAULT[0], text, address);
}

/**
 * Makes the error for a failed system call, whose `code` comes from Node; unknown codes keep Node's own number.
 * `message` replaces the usual text.
 */
export function systemError(cause: NodeJS.ErrnoException, address?: string, message?: string): ErrnoError {
  const row = Object.hasOwn(TABLE, cause.code ?? "") ? TABLE[cause.code as ErrorCode] : undefined;
  const errno = row?.[0] ?? Math.abs(cause.errno ?? 0);
  return new ErrnoError(cause.code ?? "EIO", errno, message ?? row?.[1] ?? cause.message, address, cause);
}

/**
 * Makes of a value that an application's code threw something that a warning can tell. It may be anything, also
 * something without a text, or an error that throws where Node prints it and nobody could catch.
 */
export function tellable(thrown: unknown): Error | string {
  try {
    const text = String(thrown);
    return thrown instanceof Error ? thrown : text;
  } catch {
    return "something was thrown that has no text";
  }
}

/** The protocol faults by libzmq's monitor codes: the name after `ERR_` and the number. */
export const PROTOCOL_CODES = {
  ERR_ZMTP_UNSPECIFIED: 0x10000000,
  ERR_ZMTP_UNEXPECTED_COMMAND: 0x10000001,
  ERR_ZMTP_INVALID_SEQUENCE: 0x10000002,
  ERR_ZMTP_KEY_EXCHANGE: 0x10000003,
  ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED: 0x10000011,
  ERR_ZMTP_MALFORMED_COMMAND_MESSAGE: 0x10000012,
  ERR_ZMTP_MALFORMED_COMMAND_HELLO: 0x10000013,
  ERR_ZMTP_MALFORMED_COMMAND_INITIATE: 0x10000014,
  ERR_ZMTP_MALFORMED_COMMAND_ERROR: 0x10000015,
  ERR_ZMTP_MALFORMED_COMMAND_READY: 0x10000016,
  ERR_ZMTP_MALFORMED_COMMAND_WELCOME: 0x10000017,
  ERR_ZMTP_INVALID_METADATA: 0x10000018,
  ERR_ZMTP_CRYPTOGRAPHIC: 0x11000001,
  ERR_ZMTP_MECHANISM_MISMATCH: 0x11000002,
  ERR_ZAP_UNSPECIFIED: 0x20000000,
  ERR_ZAP_MALFORMED_REPLY: 0x20000001,
  ERR_ZAP_BAD_REQUEST_ID: 0x20000002,
  ERR_ZAP_BAD_VERSION: 0x20000003,
  ERR_ZAP_INVALID_STATUS_CODE: 0x20000004,
  ERR_ZAP_INVALID_METADATA: 0x20000005,
} as const;

export type ProtocolCode = keyof typeof PROTOCOL_CODES;

/**
 * A peer broke the protocol. Thrown inside the wire layers, never at a user: it ends the connection and becomes an
 * event.
 */
export class ProtocolError extends Error {
  readonly code: ProtocolCode;

  constructor(code: ProtocolCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
