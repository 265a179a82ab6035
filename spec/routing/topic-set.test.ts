import { TopicSet } from "../../src/routing/topic-set.ts";
import { randomly } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { TopicList } from "../twins/subscriptions.ts";

const it = suite("routing/topic-set");

it("counts: a topic is gone when it was taken back as often as it was added", () => {
  const topics = new TopicSet();
  assert.is(topics.add(Buffer.from("A")), 1);
  assert.is(topics.add(Buffer.from("A")), 2);
  assert.is(topics.size, 1);
  assert.is(topics.remove(Buffer.from("A")), 1);
  assert.is(topics.matches(Buffer.from("A1")), true);
  assert.is(topics.remove(Buffer.from("A")), 0);
  assert.is(topics.matches(Buffer.from("A1")), false);
});

it("taking back what was not added is noticed, a prefix of another topic included", () => {
  const topics = new TopicSet();
  topics.add(Buffer.from("ABC"));
  topics.add(Buffer.from("ABD"));
  assert.is(topics.remove(Buffer.from("AB")), -1);
  assert.is(topics.remove(Buffer.from("X")), -1);
  assert.is(topics.size, 2);
});

it("goes through the topics in the order of their octets", () => {
  const topics = new TopicSet();
  for (const topic of ["b", "", "ab", "\u00ff", "a", "abc", "a"]) topics.add(Buffer.from(topic, "latin1"));
  assert.equal(
    [...topics].map((topic) => topic.toString("latin1")),
    ["", "a", "ab", "abc", "b", "\u00ff"],
  );
});

it("does as its twin does", () => {
  randomly((random) => {
    for (let round = 0; round < 30; round++) {
      const topics = new TopicSet();
      const twin = new TopicList();
      const octets = random.pick([2, 4, 256]);
      for (let step = 0; step < 300; step++) {
        const topic = random.octets(random.below(6), octets);
        if (random.below(2) === 0) assert.is(topics.add(topic), twin.add(topic));
        else assert.is(topics.remove(topic), twin.remove(topic));
        const body = random.octets(random.below(8), octets);
        assert.is(topics.matches(body), twin.matches(body));
        assert.is(topics.size, twin.size);
      }
      assert.equal(
        [...topics].map((topic) => topic.toString("latin1")),
        twin.sorted(),
      );
    }
  });
});

it.run();
