/** A test file with every fault that must not pass in silence; test.test.ts runs it. */
import { assert, suite } from "./test.ts";

const it = suite("faulty");
it("passes", () => assert.ok(true));
it("never settles", () => new Promise(() => {}), { timeout: 50 });
it("throws", () => assert.is(1, 2));
it.skip("is left out", "nothing here to test it with");
it.run();

const hooked = suite("hooked");
hooked.before(() => Promise.reject(new Error("no peer")));
hooked("is never reached", () => {});
hooked.run();

const forgotten = suite("forgotten");
forgotten("is never run", () => {});
