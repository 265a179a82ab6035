import { RouteTable } from "../../src/routing/route-table.ts";
import { randomly } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { RouteMap } from "../twins/routes.ts";

const it = suite("routing/route-table");

it("the first pipe with an id keeps it", () => {
  const table = new RouteTable<string>(1);
  assert.is(table.add(Buffer.from("id"), "one"), true);
  assert.is(table.add(Buffer.from("id"), "two"), false);
  assert.is(table.get(Buffer.from("id")), "one");
  assert.is(table.size, 1);
});

it("generated ids are a zero octet and a counter, high octet first", () => {
  const table = new RouteTable<string>(0x6b8b4567);
  assert.is(table.generate().toString("hex"), "006b8b4567");
  assert.is(table.generate().toString("hex"), "006b8b4568");
});

it("the counter goes round, and passes over ids in use", () => {
  const table = new RouteTable<string>(0xffffffff);
  table.add(Buffer.from("0000000000", "hex"), "one");
  assert.is(table.generate().toString("hex"), "00ffffffff");
  assert.is(table.generate().toString("hex"), "0000000001");
});

it("a generated id is known as such for good; one that a peer had chosen before is not", () => {
  for (const start of [7, 0xfffffffe, 0]) {
    const table = new RouteTable<string>(start);
    const id = (number: number): Buffer => {
      const octets = Buffer.alloc(5);
      octets.writeUInt32BE(number >>> 0, 1);
      return octets;
    };
    table.add(id(start + 1), "chosen");
    const generated = [0, 2, 3, 4].map((number) => id(start + number));
    for (const expected of generated) {
      assert.is(table.wasGenerated(expected), false);
      assert.equal(table.generate(), expected);
      assert.is(table.wasGenerated(expected), true);
    }
    table.remove(id(start + 1), "chosen");
    const others = [id(start + 1), id(start + 5), id(start - 1), Buffer.alloc(0), Buffer.alloc(4), Buffer.from("name")];
    others.push(Buffer.concat([id(start), Buffer.alloc(1)]), Buffer.concat([Buffer.of(1), id(start).subarray(1)]));
    for (const other of others) assert.is(table.wasGenerated(other), false);
    assert.ok(generated.every((one) => table.wasGenerated(one)));
  }
});

it("100,000 pipes come and go", () => {
  const table = new RouteTable<number>(42);
  const ids = Array.from({ length: 100_000 }, (_, i) => {
    const id = table.generate();
    table.add(id, i);
    return id;
  });
  assert.is(table.size, ids.length);
  assert.is(
    ids.every((id, i) => table.get(Buffer.from(id)) === i),
    true,
  );
  for (const [i, id] of ids.entries()) assert.is(table.remove(id, i), true);
  assert.is(table.size, 0);
  assert.equal([...table.values()], []);
});

it("does as its twin does", () => {
  randomly((random) => {
    const table = new RouteTable<number>(random.bits());
    const twin = new RouteMap<number>();
    for (let step = 0; step < 20_000; step++) {
      const id = random.octets(random.below(4), random.pick([3, 256]));
      const pipe = random.below(5);
      const choice = random.below(4);
      if (choice < 2) assert.is(table.add(id, pipe), twin.add(id, pipe));
      else if (choice === 2) assert.is(table.remove(id, pipe), twin.remove(id, pipe));
      assert.is(table.get(id), twin.get(id));
      assert.is(table.size, twin.size);
    }
    assert.equal([...table.values()].sort(), twin.values().sort());
  });
});

it.run();
