/** The tree that the subscription trie and the topic set share: what its rules say of its nodes. */
import { type RadixNode, RadixTree } from "../../src/routing/radix-tree.ts";
import { type Random, randomly } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("routing/radix-tree");

/** The nodes but for the root; each has to be as the rules say. */
function nodes(tree: RadixTree<number>): RadixNode<number>[] {
  const found: RadixNode<number>[] = [];
  const left = [tree.root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node !== tree.root) {
      found.push(node);
      assert.ok(node.label.length > 0);
      assert.ok(
        node.value !== undefined || node.children.length > 1,
        "a node without a value, and fewer than two children",
      );
    }
    assert.is(node.firsts, node.children.map(({ label }) => label[0]).join(""));
    assert.is(node.firsts, [...node.firsts].sort().join(""));
    for (const child of node.children) assert.is(child.parent, node);
    left.push(...node.children);
  }
  return found;
}

it("topics that come and go leave no node behind", () => {
  const tree = new RadixTree<number>();
  tree.insert(Buffer.from("stays")).value = 1;
  const topics = Array.from({ length: 10_000 }, (_, i) => Buffer.from(`topic/${(i * 7919) % 10_007}/x`));
  for (const topic of topics) tree.insert(topic).value = 1;
  assert.ok(nodes(tree).length > 10_000);
  for (const topic of topics) tree.clear(tree.find(topic)!);
  assert.is(nodes(tree).length, 1);
});

function topic(random: Random): Buffer {
  return random.octets(random.below(random.below(10) === 0 ? 40 : 5), random.pick([2, 3, 256]));
}

it("does as a map does, and keeps its rules", () => {
  randomly((random) => {
    const tree = new RadixTree<number>();
    const map = new Map<string, number>();
    for (let step = 0; step < 2_000; step++) {
      const one = topic(random);
      const name = one.toString("latin1");
      if (random.below(2) === 0) {
        tree.insert(one).value = step;
        map.set(name, step);
      } else if (map.delete(name)) {
        tree.clear(tree.find(one)!);
      }
      assert.is(tree.find(one)?.value, map.get(name));
      if (step % 100 === 0) nodes(tree);
    }
    assert.equal(
      [...tree.entries()].map(([octets, value]) => [octets.toString("latin1"), value]),
      [...map].sort(([one], [other]) => (one < other ? -1 : 1)),
    );
    for (const name of map.keys()) tree.clear(tree.find(Buffer.from(name, "latin1"))!);
    assert.is(nodes(tree).length, 0);
  });
});

it.run();
