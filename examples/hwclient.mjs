// Hello World, the client: ten requests, each with its answer.
//   node examples/hwclient.mjs [address, by default tcp://localhost:5555] [requests, by default 10]
import { Request } from "zmtp";

const [address = "tcp://localhost:5555", count = "10"] = process.argv.slice(2);
const socket = new Request();
socket.connect(address);

for (let request = 0; request < Number(count); request++) {
  console.log(`Sending request ${request} …`);
  await socket.send("Hello");
  const [reply] = await socket.receive();
  console.log(`Received reply ${request} [ ${reply} ]`);
}
