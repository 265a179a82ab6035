import { FairQueue } from "../../src/routing/fair-queue.ts";
import { LoadBalancer } from "../../src/routing/load-balancer.ts";
import { Link, Rotation } from "../../src/routing/rotation.ts";
import { randomly } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { TurnList } from "../twins/routes.ts";

const it = suite("routing/rotation");

class Pipe {
  readonly name: string;
  readonly sending: Link<Pipe> = new Link<Pipe>(this);
  readonly receiving: Link<Pipe> = new Link<Pipe>(this);

  constructor(name: string) {
    this.name = name;
  }
}

const pipes = (names: string): Pipe[] => [...names].map((name) => new Pipe(name));

it("the load balancer goes round in the order of joining", () => {
  const balancer = new LoadBalancer<Pipe>();
  for (const pipe of pipes("abc")) balancer.activate(pipe);
  assert.is(Array.from({ length: 7 }, () => balancer.next()?.name).join(""), "abcabca");
});

it("a pipe that joins in between gets its turn after all the others", () => {
  const balancer = new LoadBalancer<Pipe>();
  const [a, b, c] = pipes("abc");
  balancer.activate(a);
  balancer.activate(b);
  assert.is(balancer.next(), a);
  balancer.activate(c);
  assert.is(Array.from({ length: 4 }, () => balancer.next()?.name).join(""), "bacb");
});

it("a full pipe is left out, and comes back at the end", () => {
  const balancer = new LoadBalancer<Pipe>();
  const [a, b, c] = pipes("abc");
  for (const pipe of [a, b, c]) balancer.activate(pipe);
  balancer.deactivate(a);
  balancer.deactivate(a);
  assert.is(balancer.size, 2);
  assert.is(balancer.has(a), false);
  assert.is(balancer.next(), b);
  balancer.activate(a);
  balancer.activate(a);
  assert.is(Array.from({ length: 3 }, () => balancer.next()?.name).join(""), "cba");
});

it("nobody's turn when nobody takes part", () => {
  const balancer = new LoadBalancer<Pipe>();
  const [a] = pipes("a");
  assert.is(balancer.next(), undefined);
  balancer.activate(a);
  balancer.deactivate(a);
  assert.is(balancer.next(), undefined);
  assert.is(balancer.peek(), undefined);
});

it("a pipe can wait in a fair queue and in a load balancer at once", () => {
  const balancer = new LoadBalancer<Pipe>();
  const queue = new FairQueue<Pipe>();
  const [a, b] = pipes("ab");
  for (const pipe of [a, b]) {
    balancer.activate(pipe);
    queue.activate(pipe);
  }
  balancer.deactivate(a);
  assert.is(queue.next(), a);
  assert.is(queue.peek(), b);
  queue.deactivate(b);
  assert.is(queue.next(), a);
  assert.is(balancer.next(), b);
});

it("does as its twin does", () => {
  randomly((random) => {
    const members = pipes("abcdefgh");
    const ring = new Rotation<Pipe>();
    const twin = new TurnList<Pipe>();
    for (let step = 0; step < 20_000; step++) {
      const pipe = random.pick(members);
      const choice = random.below(5);
      if (choice === 0) {
        ring.join(pipe.sending);
        twin.join(pipe);
      } else if (choice === 1) {
        ring.leave(pipe.sending);
        twin.leave(pipe);
      } else {
        assert.is(ring.take(), twin.take());
      }
      assert.is(ring.peek(), twin.peek());
      assert.is(ring.size, twin.size);
      assert.is(ring.has(pipe.sending), twin.has(pipe));
    }
  });
});

it.run();
