/** STREAM: an HTTP server for Node's own client, and a raw client of a plain server. */
import { createServer, get } from "node:http";
import { outcome, print, zmq } from "./lib.mjs";

const stream = new zmq.Stream();
await stream.bind("tcp://127.0.0.1:*");
const port = /** @type {string} */ (stream.lastEndpoint).split(":")[2];
const page = new Promise((resolve) => {
  get(`http://127.0.0.1:${port}/path`, { agent: false }, (response) => {
    let body = "";
    response.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    response.on("end", () => resolve(`${response.statusCode} ${body}`));
  });
});
const [id, notice] = await stream.receive();
print(id.length, notice.length);
const [sender, request] = await stream.receive();
print(sender.equals(id), String(request).split("\r\n")[0]);
await stream.send([id, "HTTP/1.0 200 OK\r\nContent-Length: 19\r\n\r\nhello from a stream"]);
print(await page);
print(await outcome(() => stream.send(["nobody", "x"])));
stream.close();

const server = createServer((request, response) => {
  response.sendDate = false;
  response.writeHead(200, { Connection: "close" }).end(`you asked for ${request.url}`);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port: at } = /** @type {import("node:net").AddressInfo} */ (server.address());
const client = new zmq.Stream();
client.connect(`tcp://127.0.0.1:${at}`, { routingId: "server" });
const [name, connected] = await client.receive();
print(String(name), connected.length);
await client.send(["server", "GET /x HTTP/1.0\r\n\r\n"]);
let answer = "";
while (!answer.includes("you asked for /x")) answer += String((await client.receive())[1]);
print(answer.split("\r\n")[0], answer.split("\r\n").at(-1));
client.linger = 0;
client.close();
server.close();
