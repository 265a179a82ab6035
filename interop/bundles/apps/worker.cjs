/** The conversation in two worker threads at a time, the library loaded in the main thread too; one is ended in the middle. */
const { once } = require("node:events");
const { Worker, isMainThread, parentPort } = require("node:worker_threads");
const zmq = require("zmtp");
const { conversation, EXPECTED } = require("./conversation.cjs");

/** @returns {Promise<string>} */
const worker = async () => (await once(new Worker(__filename), "message"))[0];

async function main() {
  const heard = await Promise.all([worker(), worker(), conversation()]);
  for (const text of heard) if (text !== EXPECTED) throw new Error(text);

  const pull = new zmq.Pull();
  await pull.bind("tcp://127.0.0.1:*");
  const sender = new Worker(__filename, { argv: [pull.lastEndpoint] });
  for (let i = 0; i < 1000; i++) await pull.receive();
  await sender.terminate();
  pull.close();
  console.log(EXPECTED);
}

async function sendForever(address) {
  const push = new zmq.Push();
  push.connect(address);
  for (;;) await push.send("x");
}

if (isMainThread) main();
else if (process.argv[2]) sendForever(process.argv[2]);
else conversation().then((heard) => parentPort.postMessage(heard));
