/** A server that restarts: what waits is delivered, subscriptions come again. */
import { connected, print, text, zmq } from "./lib.mjs";

let pull = new zmq.Pull();
await pull.bind("tcp://127.0.0.1:*");
const address = /** @type {string} */ (pull.lastEndpoint);
const push = new zmq.Push({ reconnectInterval: 20 });
push.connect(address);
await push.send("before");
print(text(await pull.receive()));
const lost = new Promise((resolve) => push.events.on("disconnect", resolve));
pull.close();
await lost;
for (let i = 0; i < 5; i++) await push.send(`meanwhile ${i}`);

/** @param {{ bind(address: string): Promise<void> }} socket */
async function bindAgain(socket) {
  for (let isBound = false; !isBound; ) {
    isBound = await socket.bind(address).then(
      () => true,
      () => false,
    );
  }
}

pull = new zmq.Pull();
await bindAgain(pull);
for (let i = 0; i < 5; i++) print(text(await pull.receive()));
push.close();
pull.close();

let publisher = new zmq.Publisher();
await bindAgain(publisher);
const subscriber = new zmq.Subscriber({ reconnectInterval: 20 });
subscriber.subscribe("A");
subscriber.connect(address);
await connected(publisher, "A", [subscriber]);
publisher.close();
subscriber.subscribe("B");
publisher = new zmq.Publisher();
await bindAgain(publisher);
await connected(publisher, "B", [subscriber]);
await publisher.send("C");
await publisher.send("A again");
print(text(await subscriber.receive()));
subscriber.close();
publisher.close();
