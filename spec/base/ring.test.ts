/** The ring against an array. */
import { Ring } from "../../src/base/ring.ts";
import { Random } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("base/ring");

it("does what an array does, whatever the order of calls", () => {
  const random = new Random(1);
  for (let round = 0; round < 50; round++) {
    const ring = new Ring<number>();
    const array: number[] = [];
    for (let step = 0; step < 2000; step++) {
      const kind = random.below(20);
      if (kind < 9) {
        ring.push(step);
        array.push(step);
      } else if (kind < 16) {
        assert.is(ring.shift(), array.shift());
      } else if (kind < 19) {
        ring.unshift(step);
        array.unshift(step);
      } else if (random.below(50) === 0) {
        ring.clear();
        array.length = 0;
      }
      assert.is(ring.length, array.length);
      assert.is(ring.last(), array.at(-1));
      const index = random.below(array.length + 2);
      assert.is(ring.at(index), array[index]);
    }
  }
});

it("keeps its order while it grows in the middle of a turn around", () => {
  const ring = new Ring<number>();
  for (let i = 0; i < 6; i++) ring.push(i);
  for (let i = 0; i < 5; i++) ring.shift();
  for (let i = 6; i < 100; i++) ring.push(i);
  for (let i = 5; i < 100; i++) assert.is(ring.shift(), i);
  assert.is(ring.shift(), undefined);
});

it("lets go of what was taken out", async () => {
  const ring = new Ring<object>();
  let item: object | undefined = { large: true };
  const reference = new WeakRef(item);
  ring.push(item);
  ring.push({});
  ring.shift();
  item = undefined;
  await new Promise((fulfil) => setImmediate(fulfil));
  (globalThis as { gc?: () => void }).gc?.();
  assert.is(reference.deref(), undefined);
});

it.run();
