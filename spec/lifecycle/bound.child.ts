/**
 * The bound side of a conversation, to be killed and started again: `bound <type> <address>`.
 * It says "bound", then every message that it receives.
 */
import * as zmq from "zmtp";
import { sleep } from "../helpers/wait.ts";

const [type, address] = process.argv.slice(2) as [string, string];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function bound<S extends zmq.Socket>(socket: S): Promise<S> {
  await socket.bind(address);
  say("bound");
  return socket;
}

switch (type) {
  case "pull":
    for await (const frames of await bound(new zmq.Pull())) say(frames.join("|"));
    break;
  case "push": {
    const push = await bound(new zmq.Push());
    for (let i = 0; ; i++, await sleep(5)) await push.send(`${process.pid} ${i}`);
  }
  case "pub": {
    const pub = await bound(new zmq.Publisher());
    for (let i = 0; ; i++, await sleep(5)) {
      await pub.send([`topic ${i % 5000}`, `${process.pid} ${pub.topicsCount}`]);
      await pub.send([`other ${i % 5000}`, "not subscribed"]);
    }
  }
  case "sub": {
    const sub = new zmq.Subscriber();
    sub.subscribe("a");
    for await (const frames of await bound(sub)) say(frames.join("|"));
    break;
  }
  case "rep": {
    const rep = await bound(new zmq.Reply());
    for await (const frames of rep) await rep.send([`${process.pid}`, ...frames]);
    break;
  }
  case "req": {
    const req = await bound(new zmq.Request());
    for (let i = 0; ; i++, await sleep(5)) {
      await req.send(`${process.pid} ${i}`);
      say((await req.receive()).join("|"));
    }
  }
}
