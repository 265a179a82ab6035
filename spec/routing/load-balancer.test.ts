import { LoadBalancer } from "../../src/routing/load-balancer.ts";
import { Link } from "../../src/routing/rotation.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("routing/load-balancer");

class Pipe {
  readonly name: string;
  readonly sending: Link<Pipe> = new Link<Pipe>(this);
  writerWaits = false;
  onAsked: () => boolean = () => false;

  constructor(name: string) {
    this.name = name;
  }

  get full(): boolean {
    return this.onAsked();
  }
}

function balanced(names: string): { balancer: LoadBalancer<Pipe>; pipes: Pipe[] } {
  const balancer = new LoadBalancer<Pipe>();
  const pipes = [...names].map((name) => new Pipe(name));
  for (const pipe of pipes) balancer.add(pipe);
  return { balancer, pipes };
}

const round = (balancer: LoadBalancer<Pipe>, count: number): string =>
  Array.from({ length: count }, () => balancer.next()?.name ?? "-").join("");

it("goes round the pipes that can take a message", () => {
  const { balancer } = balanced("abc");
  assert.is(round(balancer, 7), "abcabca");
});

it("passes full pipes over, marks them, and takes them in again at the end", () => {
  const { balancer, pipes } = balanced("abc");
  const [a, b] = pipes;
  a.onAsked = b.onAsked = () => true;
  assert.is(round(balancer, 2), "cc");
  assert.equal(
    pipes.map((pipe) => pipe.writerWaits),
    [true, true, false],
  );
  a.onAsked = () => false;
  assert.is(round(balancer, 2), "cc", "it has not said that it has room");
  balancer.add(a);
  balancer.add(a);
  assert.is(round(balancer, 3), "cac");
});

it("nobody is next when all are full, or gone", () => {
  const { balancer, pipes } = balanced("ab");
  pipes[0].onAsked = () => true;
  assert.ok(balancer.canSend);
  balancer.remove(pipes[1]);
  balancer.remove(pipes[1]);
  assert.not(balancer.canSend);
  assert.is(balancer.next(), undefined);
});

it("does not choose a pipe that ends while it is asked", () => {
  const { balancer, pipes } = balanced("ab");
  pipes[0].onAsked = () => {
    balancer.remove(pipes[0]);
    return false;
  };
  assert.is(round(balancer, 2), "bb");
});

it.run();
