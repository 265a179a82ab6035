/**
 * The MESSAGE of CURVE: how one canonical frame looks on the wire.
 *
 *     canonical   flags (1)   size (1|8)                                                      payload
 *     MESSAGE     00 or 02    size (1|8)   07 "MESSAGE" (8)   counter (8)   tag (16)   flags (1)   payload
 *                 \______ header ______/   \_______________ HEAD_BYTES ___________/   \___ sealed ___/
 *
 * The outer flags say how long the size is, and nothing else: libzmq takes an outer MORE or COMMAND for part of the
 * message. RFC 26 wants the outer frame to be a command, so that form is let pass when it comes. What the frame is
 * stands inside, sealed: bit 0 MORE, bit 1 COMMAND (not bit 2 as in a frame's own flags).
 */
import { FLAG_COMMAND, FLAG_MORE } from "../codec/frame.ts";

/** In front of the sealed octets: name, counter, tag. */
export const HEAD_BYTES = 32;

/** Where a counter stands in a MESSAGE. */
export const COUNTER_OFFSET = 8;

/** Where a tag stands in a MESSAGE. */
export const TAG_OFFSET = 16;

/** How much longer a MESSAGE is than the payload that it carries: it is never shorter than this. */
export const OVERHEAD_BYTES: number = HEAD_BYTES + 1;

/** `07 "MESSAGE"` as two words. */
export const NAME_HIGH = 0x074d4553;
export const NAME_LOW = 0x53414745;

const INNER_COMMAND = 2;

/** The flags inside for those of a canonical frame. */
export function innerFlags(flags: number): number {
  return (flags & FLAG_MORE) | ((flags & FLAG_COMMAND) >> 1);
}

/** And back. Other bits mean nothing, as for libzmq. */
export function canonicalFlags(inner: number): number {
  return (inner & FLAG_MORE) | ((inner & INNER_COMMAND) << 1);
}

/** Up to here a loop is faster than a call of a copying function, which takes some 40 ns. */
export const LOOP_COPY_BYTES = 48;
