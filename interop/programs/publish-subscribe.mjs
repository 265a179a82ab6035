/** Topics: prefixes, several, counted, taken back; texts and octets. */
import { connected, print, text, zmq } from "./lib.mjs";

const publisher = new zmq.Publisher();
await publisher.bind("tcp://127.0.0.1:*");
const address = /** @type {string} */ (publisher.lastEndpoint);
const all = new zmq.Subscriber();
const some = new zmq.Subscriber({ receiveHighWaterMark: 50 });
all.subscribe();
some.subscribe("kitty", Buffer.from([0xff, 0x00]), "setup");
some.subscribe("kitty");
all.connect(address);
some.connect(address);
await connected(publisher, "setup", [all, some]);

await publisher.send(["kitty cats", "meow!"]);
await publisher.send(["dogs", "woof!"]);
await publisher.send([Buffer.from([0xff, 0x00, 0x01]), "octets"]);
await publisher.send("kitty");
await publisher.send(["kit", "no"]);
await publisher.send("end of everything");
for (let i = 0; i < 6; i++) print("all", text(await all.receive()));
for (let i = 0; i < 3; i++)
  print(
    "some",
    (await some.receive()).map((frame) => frame.toString("hex")),
  );

some.unsubscribe("kitty");
some.unsubscribe("never subscribed");
await publisher.send("kitty is still wanted");
print("some", text(await some.receive()));
all.close();
some.close();
publisher.close();
