/** What can be bound and connected, what `lastEndpoint` says, and how the rest fails. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { masked, outcome, print, zmq } from "./lib.mjs";

const path = join(tmpdir(), `programs-${process.pid}`);
for (const address of [
  "tcp://*:*",
  "tcp://127.0.0.1:*",
  "tcp://127.0.0.1:0",
  "tcp://lo:*",
  "tcp://localhost:*",
  `ipc://${path}`,
  "inproc://name",
]) {
  const socket = new zmq.Pull();
  print(await outcome(() => socket.bind(address)), masked(socket.lastEndpoint).replace(path, "PATH"));
  const real = /** @type {string} */ (socket.lastEndpoint);
  if (address.includes("*")) print("unbind the wildcard", await outcome(() => socket.unbind(address)));
  print(
    "unbind",
    await outcome(() => socket.unbind(real)),
    await outcome(() => socket.unbind(real)).then((t) => t.replace(path, "PATH")),
  );
  socket.close();
}
rmSync(path, { force: true });
for (const address of [
  "tcp://1.2.3.4:5555",
  "tcp://[::1]:*",
  "tcp://no-such-host.invalid:*",
  "ipc:///no/such/folder/socket",
  `ipc:///${"x".repeat(120)}`,
  "inproc://",
  "nothing",
  "",
  "TCP://127.0.0.1:*",
  "foo://bar",
  "udp://127.0.0.1:5555",
]) {
  const socket = new zmq.Pull();
  print("bind", address.slice(0, 30), await outcome(() => socket.bind(address)));
  socket.close();
}
for (const address of [
  "tcp://no-such-host.invalid:1",
  "ipc:///no/such",
  "inproc://early",
  "tcp://127.0.0.1:*",
  "tcp://*:5",
  "tcp://127.0.0.1",
  "tcp://127.0.0.1:x",
  "bar",
]) {
  const socket = new zmq.Push({ linger: 0 });
  print("connect", address, await outcome(() => socket.connect(address)), socket.lastEndpoint);
  socket.close();
}
const socket = /** @type {any} */ (new zmq.Push({ linger: 0 }));
for (const call of [
  () => socket.connect(),
  () => socket.connect(1),
  () => socket.connect("tcp://127.0.0.1:1", 2),
  () => socket.bind({}),
  () => socket.disconnect("tcp://127.0.0.1:1"),
]) {
  print("arguments", await outcome(call));
}
socket.close();
