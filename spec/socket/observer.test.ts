import { KEPT_EVENTS } from "../../src/base/constants.ts";
import { type Event, Observer, Pull } from "../../src/index.ts";
import { coreOf } from "../../src/socket/socket.ts";
import { Sockets, thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("socket/observer");
const sockets = new Sockets(it);

const at = (address: string): Event => ({ type: "connect", address });

/** A socket whose events the test makes up, and how often they hold the process. */
class Rig {
  held = 0;
  readonly #pull = sockets.own(new Pull());
  readonly #core = coreOf(this.#pull);

  constructor() {
    this.#core.hold = () => {
      this.held++;
    };
    this.#core.release = () => {
      this.held--;
    };
  }

  get observer(): Observer {
    return this.#pull.events;
  }

  get active(): boolean {
    return this.#core.events.active;
  }

  emit(event: Event): void {
    this.#core.events.emit(event);
  }

  end(): void {
    this.#pull.close();
  }
}

/** Lets the microtasks run that deliver to listeners. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("nothing is recorded before somebody asks", async () => {
  const rig = new Rig();
  assert.is(rig.active, false);
  rig.emit(at("before"));
  const { observer } = rig;
  assert.is(rig.active, true);
  rig.emit(at("after"));
  assert.equal(await observer.receive(), at("after"));
});

it("it is the same object each time", () => {
  const rig = new Rig();
  assert.is(rig.observer, rig.observer);
});

it("events are kept until they are read, and come in order", async () => {
  const rig = new Rig();
  const { observer } = rig;
  rig.emit(at("1"));
  rig.emit(at("2"));
  assert.equal(await observer.receive(), at("1"));
  assert.equal(await observer.receive(), at("2"));
});

it("when nobody reads, the newest are kept", async () => {
  const rig = new Rig();
  const { observer } = rig;
  for (let i = 0; i < KEPT_EVENTS + 5; i++) rig.emit(at(String(i)));
  assert.equal(await observer.receive(), at("5"));
});

it("a pending receive holds the process, and gets the next event", async () => {
  const rig = new Rig();
  const pending = rig.observer.receive();
  assert.is(rig.held, 1);
  rig.emit(at("1"));
  assert.is(rig.held, 0);
  assert.equal(await pending, at("1"));
});

it("a second receive at a time is EBUSY at once", () => {
  const { observer } = new Rig();
  void observer.receive();
  const error = thrown(() => observer.receive());
  assert.is(error.code, "EBUSY");
  assert.is(error.message, "Observer is busy reading; only one receive operation may be in progress at any time");
});

it("close: a pending receive is EAGAIN, a later one EBADF, and nothing is held", async () => {
  const rig = new Rig();
  const { observer } = rig;
  const pending = observer.receive();
  observer.close();
  observer.close();
  assert.is(rig.held, 0);
  assert.is(rig.active, false);
  assert.is(observer.closed, true);
  const error = await pending.catch((reason: unknown) => reason);
  assert.is((error as { code?: string }).code, "EAGAIN");
  assert.is(thrown(() => observer.receive()).code, "EBADF");
  assert.is(thrown(() => observer.receive()).message, "Socket is closed");
});

it("after close, events can be asked for again", async () => {
  const rig = new Rig();
  const first = rig.observer;
  first.close();
  rig.emit(at("lost"));
  const second = rig.observer;
  assert.is(second.closed, false);
  rig.emit(at("heard"));
  first.close();
  assert.equal(await second.receive(), at("heard"));
  const heard: Event[] = [];
  second.close();
  rig.observer.on("connect", (event) => heard.push(event));
  rig.emit(at("by a listener"));
  await turn();
  assert.equal(heard, [at("by a listener")]);
});

it("end is the last event, and closes the observer when it is read", async () => {
  const rig = new Rig();
  const { observer } = rig;
  rig.emit(at("1"));
  rig.end();
  rig.end();
  rig.emit(at("late"));
  assert.is(rig.active, false);
  assert.is(observer.closed, false);
  assert.equal(await observer.receive(), at("1"));
  assert.equal(await observer.receive(), { type: "end" });
  assert.is(observer.closed, true);
  assert.is(thrown(() => observer.receive()).code, "EBADF");
  assert.is(rig.observer, observer);
});

it("end reaches a pending receive", async () => {
  const rig = new Rig();
  const pending = rig.observer.receive();
  rig.end();
  assert.equal(await pending, { type: "end" });
  assert.is(rig.held, 0);
  assert.is(rig.observer.closed, true);
});

it("a closed socket that nobody observed has no events: ENOTSOCK", () => {
  const rig = new Rig();
  rig.end();
  assert.is(thrown(() => rig.observer).code, "ENOTSOCK");
});

it("iteration goes on to end", async () => {
  const rig = new Rig();
  const types: string[] = [];
  setImmediate(() => {
    rig.emit(at("1"));
    rig.end();
  });
  for await (const event of rig.observer) types.push(event.type);
  assert.equal(types, ["connect", "end"]);
});

it("iteration ends without an error when the observer is closed meanwhile", async () => {
  const { observer } = new Rig();
  setImmediate(() => observer.close());
  for await (const _ of observer) assert.unreachable();
  assert.is(observer.closed, true);
});

it("listeners hear their type only, also what was kept before", async () => {
  const rig = new Rig();
  const { observer } = rig;
  rig.emit(at("1"));
  const heard: Event[] = [];
  assert.is(
    observer.on("connect", (event) => heard.push(event)),
    observer,
  );
  rig.emit({ type: "bind", address: "x" });
  rig.emit(at("2"));
  assert.equal(heard, []);
  await turn();
  assert.equal(heard, [at("1"), at("2")]);
});

it("the first listener ends reading", () => {
  const { observer } = new Rig();
  observer.on("bind", () => {});
  assert.is(
    thrown(() => observer.receive()).message,
    "Observer is in event emitter mode. " +
      "After a call to events.on() it is not possible to read events with events.receive().",
  );
});

it("a listener holds the process until it is taken off, or the socket ends", async () => {
  const rig = new Rig();
  const { observer } = rig;
  const listener = (): void => {};
  observer.on("bind", listener);
  observer.on("connect", listener);
  assert.is(rig.held, 1);
  observer.off("connect", listener);
  assert.is(rig.held, 1);
  observer.off("bind", listener);
  assert.is(rig.held, 0);
  observer.on("bind", listener);
  rig.end();
  await turn();
  assert.is(rig.held, 0);
  assert.is(observer.closed, true);
});

it("listeners hear all of a burst, however long", async () => {
  const rig = new Rig();
  let heard = 0;
  rig.observer.on("connect", () => heard++);
  for (let i = 0; i < 3 * KEPT_EVENTS; i++) rig.emit(at(""));
  await turn();
  assert.is(heard, 3 * KEPT_EVENTS);
});

it("a listener may close the observer, or end the socket", async () => {
  const rig = new Rig();
  let heard = 0;
  rig.observer.on("connect", () => {
    heard++;
    rig.observer.close();
  });
  rig.emit(at("1"));
  rig.emit(at("2"));
  await turn();
  assert.is(heard, 1);
  assert.is(rig.held, 0);

  const types: string[] = [];
  const other: Observer = rig.observer;
  other.on("connect", () => rig.end());
  other.on("end", (event) => types.push(event.type));
  rig.emit(at("3"));
  await turn();
  assert.equal(types, ["end"]);
  assert.is(rig.held, 0);
});

it("what a listener throws is the process's to handle, and the others hear what follows", async () => {
  const rig = new Rig();
  const heard: Event[] = [];
  const errors: unknown[] = [];
  const handlers = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => errors.push(error));
  try {
    rig.observer.on("bind", () => {
      throw new Error("mine");
    });
    rig.observer.on("connect", (event) => heard.push(event));
    rig.emit({ type: "bind", address: "x" });
    rig.emit(at("1"));
    await turn();
    await turn();
  } finally {
    process.removeAllListeners("uncaughtException");
    for (const handler of handlers) process.on("uncaughtException", handler);
  }
  assert.is((errors[0] as Error).message, "mine");
  assert.equal(heard, [at("1")]);
});

it("new Observer(socket) takes the place of the one that is there, and is socket.events", async () => {
  const pull = sockets.own(new Pull());
  const first = pull.events;
  const pending = first.receive();
  const second = new Observer(pull);
  assert.instance(second, Observer);
  assert.equal(await pending, { type: "end" });
  assert.is(first.closed, true);
  assert.is(pull.events, second);
  first.close();
  const heard = second.receive();
  await pull.bind("tcp://127.0.0.1:*");
  assert.equal(await heard, { type: "bind", address: pull.lastEndpoint });

  const third = new Observer(pull);
  assert.equal(await second.receive(), { type: "end" }, "nobody waited: it is there to be read");
  second.close();
  assert.is(third.closed, false, "the end of another one is not its own");
  pull.close();
  assert.equal([(await third.receive()).type, (await third.receive()).type], ["close", "end"]);
  assert.is(pull.events, third);
  assert.is(thrown(() => new Observer(pull)).code, "ENOTSOCK");

  const alone = new Observer(sockets.own(new Pull()));
  assert.is(alone.closed, false, "without events");
});

it("new Observer of something else says so", () => {
  const make = (...given: unknown[]): string => {
    const { name, message, code } = thrown(() => new (Observer as new (...all: unknown[]) => unknown)(...given));
    return [name, code ?? "", message].join(" ");
  };
  for (const other of [undefined, null, 5, "socket"])
    assert.is(make(other), "TypeError  Socket must be a socket object");
  assert.is(make(), "TypeError  Socket must be a socket object");
  for (const other of [{}, []]) assert.is(make(other), "Error EINVAL Invalid argument");
  assert.is(make(sockets.own(new Pull()), 1), "TypeError  Expected 1 argument but received 2");
});

it.run();
