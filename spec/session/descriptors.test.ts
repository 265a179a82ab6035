/**
 * Fewer descriptors than peers: the process lives, those who are in are served, and so are others when there is room
 * again.
 */
import { connect, type Socket } from "node:net";
import { Pull, Push } from "zmtp";
import { Child } from "../helpers/child.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("session/descriptors");
/** Enough to load the program, whose files are opened at the same time. */
const DESCRIPTORS = 250;
const PEERS = 400;

const program = new URL("./descriptors.child.mjs", import.meta.url);

it("a bound socket survives the lack of descriptors", async () => {
  const child = new Child(program, { descriptors: DESCRIPTORS });
  const address = await child.line();
  const push = new Push({ reconnectInterval: 50 });
  push.connect(address);
  await push.send("in");
  assert.is(await child.line(), "got in");
  const crowd: Socket[] = [];
  let gone = 0;
  for (let i = 0; i < PEERS; i++) {
    const socket = connect(Number(address.split(":").pop()), "127.0.0.1");
    socket.on("error", () => {});
    socket.on("close", () => gone++);
    socket.resume();
    crowd.push(socket);
    await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  }
  // The event loop takes those that there is no room for, and closes them.
  await eventually(() => gone > 100);
  assert.ok(gone < PEERS);
  await push.send("still");
  assert.is(await child.line(), "got still");
  for (const socket of crowd) socket.destroy();
  const late = new Push({ reconnectInterval: 50 });
  late.connect(address);
  await late.send("late");
  assert.is(await child.line(), "got late");
  push.close();
  late.close();
  await child.kill();
});

it("a connect for which there is no descriptor is tried again, as connect:retry says", async () => {
  const pull = new Pull();
  await pull.bind("tcp://127.0.0.1:*");
  const child = new Child(new URL("./hungry.child.mjs", import.meta.url), { descriptors: DESCRIPTORS });
  child.say(pull.lastEndpoint as string);
  for (const event of ["connect:delay", "close", "connect:retry"]) assert.is(await child.line(), event);
  child.say("let go");
  assert.is(String(await pull.receive()), "here");
  pull.close();
  await child.kill();
});

it.run();
