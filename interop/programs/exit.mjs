/** The end of a process: what was sent is delivered when it ends by itself, and idle sockets do not hold it. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { print, text, zmq } from "./lib.mjs";

const [, , , role, address] = process.argv;
if (role === undefined) {
  const pull = new zmq.Pull();
  await pull.bind("tcp://127.0.0.1:*");
  for (const way of ["naturally", "closed"]) {
    const child = spawn(process.execPath, [
      fileURLToPath(import.meta.url),
      process.argv[2],
      way,
      /** @type {string} */ (pull.lastEndpoint),
    ]);
    const code = new Promise((resolve) => child.on("close", resolve));
    for (let i = 0; i < 100; i++) {
      const message = text(await pull.receive());
      if (i % 33 === 0) print(way, message);
    }
    print(way, "ended with", await code);
  }
  pull.close();
} else {
  const push = new zmq.Push();
  push.connect(address);
  for (let i = 0; i < 100; i++) await push.send(String(i));
  if (role === "closed") push.close();
  const idle = new zmq.Pull();
  await idle.bind("tcp://127.0.0.1:*");
}
