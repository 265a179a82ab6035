/** The subscription trie and the topic set as lists that are gone through from end to end: slow, and plain to see. */

type Removal = "last" | "remaining" | "absent";

/** What topics are compared and ordered by: one character an octet. */
const text = (topic: Uint8Array): string => Buffer.from(topic).toString("latin1");

export class SubscriptionList<P> {
  #held: { topic: string; pipe: P }[] = [];

  get size(): number {
    return new Set(this.#held.map(({ topic }) => topic)).size;
  }

  add(topic: Uint8Array, pipe: P): boolean {
    const first = this.#holders(text(topic)).length === 0;
    if (!this.has(topic, pipe)) this.#held.push({ topic: text(topic), pipe });
    return first;
  }

  remove(topic: Uint8Array, pipe: P): Removal {
    if (!this.has(topic, pipe)) return "absent";
    this.#held = this.#held.filter((one) => one.topic !== text(topic) || one.pipe !== pipe);
    return this.#holders(text(topic)).length === 0 ? "last" : "remaining";
  }

  removeAll(pipe: P, onTopic: (topic: Buffer, last: boolean) => void): void {
    for (const { topic } of this.#held.filter((one) => one.pipe === pipe)) {
      const octets = Buffer.from(topic, "latin1");
      onTopic(octets, this.remove(octets, pipe) === "last");
    }
  }

  has(topic: Uint8Array, pipe: P): boolean {
    return this.#holders(text(topic)).includes(pipe);
  }

  match(body: Uint8Array): Set<P> {
    return new Set(this.#held.filter(({ topic }) => text(body).startsWith(topic)).map(({ pipe }) => pipe));
  }

  #holders(topic: string): P[] {
    return this.#held.filter((one) => one.topic === topic).map(({ pipe }) => pipe);
  }
}

export class TopicList {
  #topics: string[] = [];

  get size(): number {
    return new Set(this.#topics).size;
  }

  add(topic: Uint8Array): number {
    this.#topics.push(text(topic));
    return this.count(topic);
  }

  remove(topic: Uint8Array): number {
    const index = this.#topics.indexOf(text(topic));
    if (index < 0) return -1;
    this.#topics.splice(index, 1);
    return this.count(topic);
  }

  count(topic: Uint8Array): number {
    return this.#topics.filter((one) => one === text(topic)).length;
  }

  matches(body: Uint8Array): boolean {
    return this.#topics.some((topic) => text(body).startsWith(topic));
  }

  sorted(): string[] {
    return [...new Set(this.#topics)].sort();
  }
}
