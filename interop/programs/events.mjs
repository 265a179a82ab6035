/** Events in their order, read and heard. */
import { masked, print, until, zmq } from "./lib.mjs";

/** @param {import("zeromq").Event} event */
function described(event) {
  /** @type {string[]} */
  const words = [event.type];
  if ("address" in event) words.push(masked(event.address));
  if ("interval" in event) words.push(typeof event.interval);
  if ("error" in event) {
    const { code, errno, message } = /** @type {NodeJS.ErrnoException} */ (event.error);
    words.push(String(code), String(errno), message);
  }
  return words.join(" ");
}

/** @param {InstanceType<typeof zmq.Pull> | InstanceType<typeof zmq.Push>} socket */
function log(socket) {
  /** @type {string[]} */
  const lines = [];
  const { events } = socket;
  const done = (async () => {
    for await (const event of events) lines.push(described(event));
  })();
  return { lines, done };
}

const pull = new zmq.Pull();
const push = new zmq.Push({ linger: 0, reconnectInterval: 50 });
const bound = log(pull);
const linked = log(push);
await pull.bind("tcp://127.0.0.1:*");
push.connect(/** @type {string} */ (pull.lastEndpoint));
await push.send("x");
await pull.receive();
await until(() => linked.lines.some((line) => line.startsWith("handshake")));
pull.close();
await bound.done;
for (const line of bound.lines) print("bound", line);
await until(() => linked.lines.filter((line) => line.startsWith("connect:retry")).length > 1);
push.close();
await linked.done;
for (const line of linked.lines.slice(0, 8)) print("connected", line);
print("end", linked.lines.at(-1));

const holder = new zmq.Pull();
await holder.bind("tcp://127.0.0.1:*");
const late = new zmq.Pull();
/** @type {string[]} */
const heard = [];
late.events.on("bind:error", (event) => heard.push(described(event)));
late.events.on("end", (event) => heard.push(described(event)));
await late.bind(/** @type {string} */ (holder.lastEndpoint)).catch((error) => print(error.code));
await until(() => heard.length > 0);
late.close();
await until(() => heard.length > 1);
for (const line of heard) print("heard", line);
try {
  holder.events.on("end", () => {});
  holder.events.receive();
} catch (error) {
  print(/** @type {Error} */ (error).message);
}
holder.close();
