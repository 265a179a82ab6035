// PUB and SUB: weather reports, of which the subscriber wants one place's. The publisher waits until it has heard of the
// subscription (an XPUB receives them), so that none of the reports is missed.
//   node examples/pubsub.mjs
import { Subscriber, XPublisher } from "zmtp";

const publisher = new XPublisher();
await publisher.bind("tcp://127.0.0.1:*");

const subscriber = new Subscriber();
subscriber.connect(publisher.lastEndpoint);
subscriber.subscribe("oslo");
await publisher.receive();

for (let hour = 0; hour < 5; hour++) {
  await publisher.send(["oslo", `${hour}:00`, `${10 + hour} °C`]);
  await publisher.send(["rome", `${hour}:00`, `${20 + hour} °C`]);
}

for (let reports = 0; reports < 5; reports++) {
  const [place, time, temperature] = await subscriber.receive();
  console.log(`${place} at ${time}: ${temperature}`);
}

publisher.close();
subscriber.close();
