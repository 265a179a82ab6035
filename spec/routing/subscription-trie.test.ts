import { SubscriptionTrie } from "../../src/routing/subscription-trie.ts";
import { type Random, randomly } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { SubscriptionList } from "../twins/subscriptions.ts";

const it = suite("routing/subscription-trie");

function matches<P>(trie: SubscriptionTrie<P>, body: string | Buffer): P[] {
  const out: P[] = [];
  const count = trie.match(Buffer.from(body as string), out);
  return out.slice(0, count);
}

it("a topic matches what it is a prefix of", () => {
  const trie = new SubscriptionTrie<string>();
  trie.add(Buffer.from("weather"), "a");
  assert.equal(matches(trie, "weather"), ["a"]);
  assert.equal(matches(trie, "weather.berlin"), ["a"]);
  assert.equal(matches(trie, "weathe"), []);
  assert.equal(matches(trie, "wearher"), []);
  assert.equal(matches(trie, ""), []);
});

it("the empty topic matches everything, an empty body included", () => {
  const trie = new SubscriptionTrie<string>();
  trie.add(Buffer.alloc(0), "a");
  assert.equal(matches(trie, ""), ["a"]);
  assert.equal(matches(trie, "anything"), ["a"]);
  assert.is(trie.remove(Buffer.alloc(0), "a"), "last");
  assert.equal(matches(trie, "anything"), []);
});

it("a pipe with several matching topics is found once", () => {
  const trie = new SubscriptionTrie<string>();
  for (const topic of ["", "a", "ab", "abc"]) trie.add(Buffer.from(topic), "one");
  trie.add(Buffer.from("ab"), "two");
  assert.equal(matches(trie, "abcd").sort(), ["one", "two"]);
  assert.equal(matches(trie, "x"), ["one"]);
});

it("topics are a set for each pipe: subscribing twice and cancelling once leaves nothing", () => {
  const trie = new SubscriptionTrie<string>();
  assert.is(trie.add(Buffer.from("A"), "one"), true);
  assert.is(trie.add(Buffer.from("A"), "one"), false);
  assert.is(trie.add(Buffer.from("A"), "two"), false);
  assert.is(trie.remove(Buffer.from("A"), "one"), "remaining");
  assert.is(trie.remove(Buffer.from("A"), "one"), "absent");
  assert.is(trie.remove(Buffer.from("A"), "two"), "last");
  assert.is(trie.remove(Buffer.from("A"), "two"), "absent");
  assert.is(trie.size, 0);
});

it("a pipe that goes tells its topics, and which of them nobody else holds", () => {
  const trie = new SubscriptionTrie<string>();
  trie.add(Buffer.from("shared"), "one");
  trie.add(Buffer.from("shared"), "two");
  trie.add(Buffer.from("own"), "one");
  const told: [string, boolean][] = [];
  trie.removeAll("one", (topic, last) => told.push([topic.toString(), last]));
  assert.equal(told, [
    ["shared", false],
    ["own", true],
  ]);
  trie.removeAll("one", () => assert.unreachable());
  assert.equal(matches(trie, "shared"), ["two"]);
});

it("inverted matching finds the others, those without a subscription included", () => {
  const trie = new SubscriptionTrie<string>();
  trie.add(Buffer.from("A"), "one");
  trie.add(Buffer.from("B"), "two");
  const out: string[] = [];
  assert.is(trie.matchInverted(Buffer.from("A1"), ["one", "two", "three"], out), 2);
  assert.equal(out, ["two", "three"]);
});

it("topics that come and go leave nothing behind", () => {
  const trie = new SubscriptionTrie<string>();
  trie.add(Buffer.from("stays"), "one");
  const topics = Array.from({ length: 100_000 }, (_, i) => Buffer.from(`topic/${(i * 7919) % 100_003}/x`));
  for (const topic of topics) trie.add(topic, "one");
  assert.is(trie.size, 100_001);
  for (const topic of topics) assert.is(trie.remove(topic, "one"), "last");
  assert.is(trie.size, 1);
});

it(
  "a million topics: each is found, by itself",
  () => {
    const trie = new SubscriptionTrie<string>();
    const topicAt = (i: number) => Buffer.from(`sensor/${Math.imul(i, 0x9e3779b1) >>> 0}/`);
    for (let i = 0; i < 1_000_000; i++) trie.add(topicAt(i), "one");
    assert.is(trie.size, 1_000_000);
    for (let i = 0; i < 1_000_000; i += 997)
      assert.equal(matches(trie, Buffer.concat([topicAt(i), Buffer.from("21.5")])), ["one"]);
    assert.equal(matches(trie, "sensor/x"), []);
    trie.removeAll("one");
    assert.is(trie.size, 0);
  },
  { timeout: 60_000 },
);

function topic(random: Random): Buffer {
  return random.octets(random.below(random.below(10) === 0 ? 40 : 5), random.pick([2, 3, 256]));
}

it("does as its twin does", () => {
  randomly((random) => {
    for (let round = 0; round < 30; round++) {
      const pipes = Array.from({ length: 1 + random.below(6) }, (_, i) => ({ name: `pipe ${i}` }));
      const trie = new SubscriptionTrie<object>();
      const twin = new SubscriptionList<object>();
      const out: object[] = [];
      for (let step = 0; step < 300; step++) {
        const pipe = random.pick(pipes);
        const one = topic(random);
        const choice = random.below(20);
        if (choice < 9) {
          assert.is(trie.add(one, pipe), twin.add(one, pipe));
        } else if (choice < 13) {
          assert.is(trie.remove(one, pipe), twin.remove(one, pipe));
        } else if (choice < 14) {
          const told: [string, boolean][] = [];
          const expected: [string, boolean][] = [];
          trie.removeAll(pipe, (gone, last) => told.push([gone.toString("hex"), last]));
          twin.removeAll(pipe, (gone, last) => expected.push([gone.toString("hex"), last]));
          assert.equal(told, expected);
        } else {
          const found = out.slice(0, trie.match(one, out));
          assert.is(new Set(found).size, found.length);
          assert.equal(new Set(found), twin.match(one));
          for (const each of pipes) assert.is(trie.covers(one, each), twin.match(one).has(each));
          assert.ok(found.every((each) => trie.knows(each)));
          const others = out.slice(0, trie.matchInverted(one, pipes, out));
          assert.equal(
            others,
            pipes.filter((other) => !twin.match(one).has(other)),
          );
        }
        assert.is(trie.size, twin.size);
      }
      for (const pipe of pipes) trie.removeAll(pipe);
      assert.is(trie.size, 0);
    }
  });
});

it.run();
