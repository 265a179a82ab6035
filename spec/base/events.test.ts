import { authEventError, protocolEventError } from "../../src/base/events.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("base/events");

it("a refused peer: status and text", () => {
  for (const [status, text] of [
    [300, "Temporary error"],
    [400, "Authentication failure"],
    [500, "Internal error"],
  ] as const) {
    const error = authEventError(status);
    assert.instance(error, Error);
    assert.is(error.status, status);
    assert.is(error.message, text);
  }
});

it("a broken protocol: code and text, the detail is the cause", () => {
  const error = protocolEventError("ERR_ZMTP_MALFORMED_COMMAND_HELLO", "7 octets");
  assert.is(error.code, "ERR_ZMTP_MALFORMED_COMMAND_HELLO");
  assert.is(error.message, "ZMTP protocol error");
  assert.is((error.cause as Error).message, "7 octets");
  assert.is(protocolEventError("ERR_ZAP_BAD_VERSION").message, "ZAP protocol error");
  assert.is("cause" in protocolEventError("ERR_ZAP_BAD_VERSION"), false);
});

it.run();
