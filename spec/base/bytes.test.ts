/** Buffers over memory that is there already, made with the runtime's own class and without it. */
import { CheckedView, smallBuffer, textBuffer, View, viewClass } from "../../src/base/bytes.ts";
import { assert, suite } from "../helpers/test.ts";
import { canKeep, transfer } from "../helpers/transfer.ts";

const it = suite("base/bytes");

for (const [title, Class] of [
  ["the class of buffers", View],
  ["Buffer.from()", CheckedView],
] as const) {
  it(`a view by ${title} is a buffer of the same memory`, () => {
    const memory = Uint8Array.of(1, 2, 3, 4, 5).buffer;
    const view = new Class(memory, 1, 3);
    assert.ok(Buffer.isBuffer(view));
    assert.is(Object.getPrototypeOf(view), Buffer.prototype);
    assert.is(view.toString("hex"), "020304");
    view[0] = 9;
    assert.is(new Uint8Array(memory)[1], 9);
    assert.is(view.subarray(1).toString("hex"), "0304");
    assert.throws(() => new Class(memory, 3, 3), RangeError);
  });
}

it("a class that is not that of buffers is not used", () => {
  const withSpecies = (species: unknown): typeof Buffer =>
    Object.assign(Object.create(null), { prototype: Buffer.prototype, [Symbol.species]: species });
  for (const species of [undefined, null, {}, Uint8Array, () => {}, class extends Uint8Array {}]) {
    assert.is(viewClass(withSpecies(species)), CheckedView);
  }
  const calling = withSpecies(undefined);
  Object.assign(calling, { [Symbol.species]: calling });
  assert.is(viewClass(calling), CheckedView);
});

it("a text becomes its octets in UTF-8, whatever its length and its letters", () => {
  for (const letter of ["a", "\u007f", "\u0080", "é", "€", "😀", "\ud800", "\0"]) {
    for (let length = 0; length < 40; length++) {
      for (const text of [letter.repeat(length), `${"x".repeat(length)}${letter}`, `${letter}${"x".repeat(length)}`]) {
        assert.ok(textBuffer(text).equals(Buffer.from(text)), JSON.stringify(text));
      }
    }
  }
});

it("small buffers share no octet", () => {
  const buffers = Array.from({ length: 3000 }, (_, i) => smallBuffer(i % 40).fill(i & 0xff));
  for (const [i, buffer] of buffers.entries()) {
    assert.is(buffer.length, i % 40);
    assert.ok(buffer.every((octet) => octet === (i & 0xff)));
  }
});

it("small buffers outlive the transfer of their memory", () => {
  const neighbour = smallBuffer(8).fill(1);
  transfer(smallBuffer(8));
  assert.is(neighbour.length, canKeep() ? 8 : 0);
  assert.is(smallBuffer(8).fill(1).toString("hex"), "01".repeat(8));
});

it("what is marked stays where the runtime can mark", () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNode = process.versions.bun === undefined && !("Deno" in globalThis);
  if (isNode && (major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 16))) assert.ok(canKeep());
});

it.run();
