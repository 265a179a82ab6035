/** XPUB: what is told of subscriptions, messages from subscribers, welcome, verbosity. */
import { print, sleep, zmq } from "./lib.mjs";

/** @param {readonly Buffer[]} frames */
const octets = (frames) => frames.map((frame) => frame.toString("latin1"));

for (const verbosity of /** @type {const} */ ([null, "allSubs", "allSubsUnsubs"])) {
  const publisher = new zmq.XPublisher({ verbosity, welcomeMessage: "welcome" });
  await publisher.bind("tcp://127.0.0.1:*");
  const peers = [new zmq.XSubscriber(), new zmq.XSubscriber()];
  publisher.receiveTimeout = 150;
  /** @param {string} title */
  const told = async (title) => {
    const all = [];
    for (;;) {
      const frames = await publisher.receive().catch(() => undefined);
      if (frames === undefined) break;
      all.push(octets(frames).join("|"));
    }
    print(verbosity, title, all);
  };
  for (const peer of peers) peer.connect(/** @type {string} */ (publisher.lastEndpoint));
  // The original does nothing for a new peer unless it is called.
  await told("two peers");
  for (const peer of peers) print("first", octets(await peer.receive()));
  await peers[0].send(Buffer.from("\x01A"));
  await told("subscribe");
  await peers[1].send(Buffer.from("\x01A"));
  await told("another");
  await peers[0].send(Buffer.from("\x00A"));
  await told("one goes");
  await peers[1].send(Buffer.from("\x00A"));
  await told("the other goes");
  await peers[0].send("a message");
  await peers[0].send(["of", "several", "frames"]);
  await told("messages");
  await peers[0].send(Buffer.from("\x01B"));
  await sleep(50);
  await publisher.send(["B", "data"]);
  await publisher.send("C");
  print(octets(await peers[0].receive()));
  peers[0].close();
  await told("subscribe, and leave");
  peers[1].close();
  publisher.close();
}
