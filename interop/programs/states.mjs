/** Operations at the wrong time: busy, blocked, timed out, closed; iteration and its end. */
import { outcome, print, zmq } from "./lib.mjs";

const pair = new zmq.Pair();
const waiting = outcome(() => pair.receive());
print("receive twice", await outcome(() => pair.receive()));
const sending = outcome(() => pair.send("x"));
print("send twice", await outcome(() => pair.send("y")));
print("no message", await outcome(() => /** @type {any} */ (pair).send()));
pair.close();
pair.close();
print("pending", await waiting, "/", await sending);
for (const call of [
  () => pair.send("x"),
  () => pair.receive(),
  () => pair.bind("inproc://x"),
  () => pair.connect("inproc://x"),
  () => pair.linger,
  () => {
    pair.linger = 0;
  },
  () => pair.events,
]) {
  print("closed", await outcome(call));
}
print(pair.closed, pair.readable, pair.writable, pair.context === undefined);

const busy = new zmq.Pair();
const binding = busy.bind("tcp://127.0.0.1:*");
print("blocked", await outcome(() => busy.send("x")));
print("blocked", await outcome(() => busy.connect("inproc://x")));
busy.close();
print("not yet", busy.closed);
await binding;
print("now", busy.closed);

const timed = new zmq.Dealer({ sendTimeout: 10, receiveTimeout: 10 });
print(await outcome(() => timed.send("x")), "/", await outcome(() => timed.receive()));
print(await outcome(() => timed.send([])));

const one = new zmq.Pair();
const other = new zmq.Pair();
await one.bind("inproc://pairs");
other.connect("inproc://pairs");
for (const message of ["1", "2", "3"]) await one.send(message);
for await (const [message] of other) {
  print("got", String(message));
  if (String(message) === "2") break;
}
print("open after break", !other.closed, await outcome(() => other.receive()));
const iterating = (async () => {
  for await (const [message] of other) print("never", String(message));
  return "ended";
})();
other.close();
print(await iterating);
one.close();
timed.close();
const second = new zmq.Pair();
print("sealed", await outcome(() => Object.assign(second, { unknown: 1 })));
print("read-only", await outcome(() => Object.assign(second, { type: 1 })));
second.close();
