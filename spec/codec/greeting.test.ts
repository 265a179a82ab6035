import { ProtocolError } from "../../src/base/errors.ts";
import {
  encodeGreeting,
  greetingCountsRoutingId,
  greetingMechanism,
  sniffVersion,
  ZMTP_1_0,
  ZMTP_2_0,
  ZMTP_3_0,
  ZMTP_3_1,
} from "../../src/codec/greeting.ts";
import { assert, suite } from "../helpers/test.ts";
import { hex } from "./deliveries.ts";

const it = suite("codec/greeting");

/** What is known after each octet. */
function sniffed(octets: string): (number | undefined)[] {
  const bytes = hex(octets);
  return Array.from({ length: bytes.length + 1 }, (_, count) => sniffVersion(bytes, count));
}

it("knows a peer of 1.0 by its first octet, or by octet 9", () => {
  assert.equal(sniffed("01 00"), [undefined, ZMTP_1_0, ZMTP_1_0]);
  assert.is(sniffed("fe")[1], ZMTP_1_0);
  const long = sniffed("ff 0000000000000004 00");
  assert.is(long[9], undefined);
  assert.is(long[10], ZMTP_1_0);
  assert.is(sniffed("ff 0000000000000004 7e")[10], ZMTP_1_0);
});

it("knows later peers by octets 10 and 11", () => {
  const signature = "ff 0000000000000001 7f";
  assert.is(sniffed(signature)[10], undefined);
  // RFC 37: a peer whose version is 1 or 2 speaks 2.0.
  for (const version of ["01", "02"]) assert.is(sniffed(`${signature} ${version}`)[11], ZMTP_2_0, version);
  assert.is(sniffed(`${signature} 03`)[11], undefined);
  assert.is(sniffed(`${signature} 03 00`)[12], ZMTP_3_0);
  for (const version of ["03 01", "03 07", "04 00", "ff ff"]) {
    assert.is(sniffed(`${signature} ${version}`)[12], ZMTP_3_1, version);
  }
  assert.throws(
    () => sniffed(`${signature} 00`),
    (error: unknown) => error instanceof ProtocolError,
  );
});

it("says who is the server, and how long the routing id is", () => {
  const server = encodeGreeting("CURVE", true, 255);
  assert.is(server.length, 64);
  assert.is(server[32], 1);
  assert.is(server.readBigUInt64BE(1), 256n);
  assert.is(greetingMechanism(server), "CURVE");
});

it("takes off no NUL but those at the end of a mechanism", () => {
  const greeting = encodeGreeting("A\0B", false, 0);
  assert.is(greetingMechanism(greeting), "A\0B");
  assert.is(greetingMechanism(encodeGreeting("", false, 0)), "");
  assert.is(greetingMechanism(encodeGreeting("X".repeat(20), false, 0)), "X".repeat(20));
});

it("sees whether the padding tells the length of a routing id", () => {
  assert.is(greetingCountsRoutingId(encodeGreeting("NULL", false, 0)), true);
  assert.is(greetingCountsRoutingId(encodeGreeting("NULL", false, 255)), true);
  assert.is(greetingCountsRoutingId(Buffer.alloc(64)), false);
  assert.is(greetingCountsRoutingId(Buffer.alloc(64, 1)), false);
});

it.run();
