import { Link, Rotation } from "../../src/routing/rotation.ts";
import { randomly } from "../helpers/random.ts";
import { assert, suite } from "../helpers/test.ts";
import { RotationList } from "../twins/routes.ts";

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

it("goes round in the order of joining", () => {
  const ring = new Rotation<Pipe>();
  for (const pipe of pipes("abc")) ring.join(pipe.sending);
  assert.is(Array.from({ length: 7 }, () => ring.next()?.name).join(""), "abcabca");
});

it("a pipe that joins in between is next after all the others", () => {
  const ring = new Rotation<Pipe>();
  const [a, b, c] = pipes("abc");
  ring.join(a.sending);
  ring.join(b.sending);
  assert.is(ring.next(), a);
  ring.join(c.sending);
  assert.is(Array.from({ length: 4 }, () => ring.next()?.name).join(""), "bacb");
});

it("a pipe that left is passed over, and comes back at the end", () => {
  const ring = new Rotation<Pipe>();
  const [a, b, c] = pipes("abc");
  for (const pipe of [a, b, c]) ring.join(pipe.sending);
  ring.leave(a.sending);
  ring.leave(a.sending);
  assert.is(ring.next(), b);
  ring.join(a.sending);
  ring.join(a.sending);
  assert.is(Array.from({ length: 3 }, () => ring.next()?.name).join(""), "cba");
});

it("nobody is next when nobody takes part", () => {
  const ring = new Rotation<Pipe>();
  const [a] = pipes("a");
  assert.is(ring.next(), undefined);
  ring.join(a.sending);
  ring.leave(a.sending);
  assert.is(ring.next(), undefined);
  assert.is(ring.peek(), undefined);
});

it("a pipe can be in one rotation to send and in another to receive", () => {
  const out = new Rotation<Pipe>();
  const incoming = new Rotation<Pipe>();
  const [a, b] = pipes("ab");
  for (const pipe of [a, b]) {
    out.join(pipe.sending);
    incoming.join(pipe.receiving);
  }
  out.leave(a.sending);
  assert.is(incoming.next(), a);
  assert.is(incoming.peek(), b);
  incoming.leave(b.receiving);
  assert.is(incoming.next(), a);
  assert.is(out.next(), b);
});

it("does as its twin does", () => {
  randomly((random) => {
    const members = pipes("abcdefgh");
    const ring = new Rotation<Pipe>();
    const twin = new RotationList<Pipe>();
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
        assert.is(ring.next(), twin.next());
      }
      assert.is(ring.peek(), twin.peek());
    }
  });
});

it.run();
