import * as zmtp from "../src/index.ts";
import { assert, suite } from "./helpers/test.ts";

const it = suite("index");

const KEYS =
  "capability context curveKeyPair version Context Socket Observer Proxy Pair Publisher Subscriber Request Reply " +
  "Dealer Router Pull Push XPublisher XSubscriber Stream";

it("exports the names of the original, no more and no less", () => {
  assert.equal(Object.keys(zmtp).sort(), KEYS.split(" ").sort());
});

it("says which version of libzmq it stands for", () => {
  assert.is(zmtp.version, "4.3.5");
});

it("tells capabilities as booleans only", () => {
  const { capability } = zmtp;
  assert.equal(
    { ...capability },
    { ipc: true, pgm: false, tipc: false, norm: false, curve: true, gssapi: false, draft: false },
  );
});

it("keeps the names of its classes when it is bundled", () => {
  for (const [name, value] of Object.entries(zmtp)) {
    if (typeof value === "function" && value.prototype !== undefined && name !== "curveKeyPair") {
      assert.is(value.name, name);
    }
  }
});

it("is made of classes, which do not work without new", () => {
  for (const made of [zmtp.Context, zmtp.Socket, zmtp.Push, zmtp.Dealer, zmtp.Proxy]) {
    assert.throws(() => (made as unknown as () => void)(), /cannot be invoked without 'new'/);
  }
});

it.run();
