import { ProtocolError } from "../../src/base/errors.ts";
import {
  CANCEL,
  commandBody,
  commandPrefix,
  ERROR,
  encodeCommand,
  encodePing,
  encodePong,
  encodeProperties,
  errorBody,
  errorReason,
  isCommand,
  PING,
  parseProperties,
  pingTimeToLive,
  SUBSCRIBE,
} from "../../src/codec/command.ts";
import { assert, suite } from "../helpers/test.ts";
import { hex } from "./deliveries.ts";

const it = suite("codec/command");

const fault = (code: string) => (error: unknown) => error instanceof ProtocolError && error.code === code;

it("knows commands by their exact name", () => {
  assert.is(isCommand(commandBody(SUBSCRIBE, Buffer.from("A")), SUBSCRIBE), true);
  assert.is(isCommand(SUBSCRIBE, SUBSCRIBE), true);
  for (const octets of ["", "09", "0973756273637269626541", "08535542534352494245", "0a5355425343524942455f"]) {
    assert.is(isCommand(hex(octets), SUBSCRIBE), false, octets);
  }
  assert.is(isCommand(commandPrefix("CANCEL"), CANCEL), true);
});

it("sets LONG by the whole body", () => {
  assert.is(encodeCommand(SUBSCRIBE, Buffer.alloc(245))[0], 4);
  assert.is(encodeCommand(SUBSCRIBE, Buffer.alloc(246))[0], 6);
});

it("writes and reads properties", () => {
  const properties: [string, Buffer][] = [
    ["Socket-Type", Buffer.from("REQ")],
    ["Identity", Buffer.alloc(0)],
    ["X-".padEnd(255, "x"), Buffer.alloc(70000, 7)],
  ];
  assert.equal(parseProperties(encodeProperties(properties)), properties);
  assert.equal(parseProperties(Buffer.alloc(0)), []);
});

it("gives well-known names their own spelling, and copies the values", () => {
  const bytes = encodeProperties([
    ["SOCKET-type", Buffer.from("REQ")],
    ["x-Own", Buffer.from("v")],
  ]);
  const parsed = parseProperties(bytes);
  bytes.fill(0);
  assert.equal(
    parsed.map(([name, value]) => `${name}=${value}`),
    ["Socket-Type=REQ", "x-Own=v"],
  );
});

it("reads 256 properties, and refuses one more", () => {
  const properties = Array.from({ length: 257 }, (_, index): [string, Buffer] => [`X-${index}`, Buffer.from("v")]);
  assert.equal(parseProperties(encodeProperties(properties.slice(1))).length, 256);
  assert.throws(() => parseProperties(encodeProperties(properties)), fault("ERR_ZMTP_INVALID_METADATA"));
});

it("refuses properties that end too early, or too late", () => {
  const whole = encodeProperties([["Socket-Type", Buffer.from("REQ")]]);
  for (let end = 1; end < whole.length; end++) {
    assert.throws(() => parseProperties(whole.subarray(0, end)), fault("ERR_ZMTP_INVALID_METADATA"), String(end));
  }
  assert.throws(() => parseProperties(Buffer.concat([whole, Buffer.alloc(1)])), fault("ERR_ZMTP_INVALID_METADATA"));
});

it("reads the reason of an ERROR, and what follows it is let pass", () => {
  assert.is(errorReason(errorBody("because"), ERROR.length), "because");
  assert.is(errorReason(Buffer.concat([errorBody(""), Buffer.alloc(3)]), ERROR.length), "");
  assert.is(errorBody("e".repeat(300)).length, ERROR.length + 1 + 255);
  assert.throws(() => errorReason(ERROR, ERROR.length), fault("ERR_ZMTP_MALFORMED_COMMAND_ERROR"));
});

it("writes a PING's time to live and reads it", () => {
  for (const ttl of [0, 1, 255, 256, 655, 65535]) assert.is(pingTimeToLive(encodePing(ttl).subarray(2)), ttl);
  assert.throws(() => pingTimeToLive(PING), fault("ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED"));
  assert.is(encodePong(encodePing(1).subarray(2)).length, 7);
});

it.run();
