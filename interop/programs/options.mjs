/** The options of each class: names, defaults, what is accepted, and by number. */
import { outcome, print, zmq } from "./lib.mjs";

const COMMON =
  "affinity rate recoveryInterval type linger reconnectInterval backlog reconnectMaxInterval maxMessageSize lastEndpoint tcpKeepalive tcpKeepaliveCount tcpKeepaliveIdle tcpKeepaliveInterval immediate ipv6 securityMechanism plainServer plainUsername plainPassword curveServer zapDomain typeOfService handshakeInterval socksProxy heartbeatInterval heartbeatTimeToLive heartbeatTimeout connectTimeout tcpMaxRetransmitTimeout threadSafe multicastMaxTransportDataUnit interface zapEnforceDomain loopbackFastPath sendBufferSize sendHighWaterMark sendTimeout multicastHops receiveBufferSize receiveHighWaterMark receiveTimeout routingId probeRouter correlate relaxed conflate mandatory handover noDrop invertMatching manual welcomeMessage verbosity notify tcpAcceptFilter curvePublicKey";
const TYPES = /** @type {const} */ ([
  "Pair",
  "Publisher",
  "Subscriber",
  "Request",
  "Reply",
  "Dealer",
  "Router",
  "Pull",
  "Push",
  "XPublisher",
  "XSubscriber",
  "Stream",
]);

process.removeAllListeners("warning");
process.on("warning", ({ message }) => print("warning", message));

for (const name of TYPES) {
  const socket = /** @type {any} */ (new zmq[name]());
  const values = [];
  for (const option of COMMON.split(" ")) values.push(`${option}=${await outcome(() => socket[option])}`);
  print(name, values.join(" "));
  socket.close();
}

const tries = {
  linger: [0, -1, -2, 1.7, "1", true],
  reconnectInterval: [-1, 0, -2],
  maxMessageSize: [0, 2 ** 40, -5],
  heartbeatTimeToLive: [1250, -1, 6553599, 6553600],
  tcpKeepalive: [0, 1, 2],
  routingId: ["x", "", "x".repeat(255), "x".repeat(256), 5, null],
  plainUsername: ["u", "", null, 1],
  zapDomain: ["d", null, ""],
  socksProxy: ["127.0.0.1:1080", "", null],
  immediate: [true, 1],
  sendHighWaterMark: [0, 5, -1],
  sendTimeout: [-1, 7, -2],
};
for (const [option, values] of Object.entries(tries)) {
  for (const value of values) {
    const socket = /** @type {any} */ (new zmq.Dealer());
    const given = typeof value === "string" && value.length > 40 ? `${value.length} characters` : value;
    const set = await outcome(() => {
      socket[option] = value;
    });
    const read = await outcome(() => socket[option]);
    print(option, given, set, read.length > 40 ? read.length : read);
    socket.close();
  }
}

const dealer = /** @type {any} */ (new zmq.Dealer({ linger: 5 }));
for (const [call, ...given] of [
  ["getInt32Option", 17],
  ["setInt32Option", 17, 9],
  ["getInt32Option", 17],
  ["getUint32Option", 17],
  ["getBoolOption", 39],
  ["setBoolOption", 39, true],
  ["getBoolOption", 39],
  ["getInt64Option", 22],
  ["setStringOption", 5, "me"],
  ["getStringOption", 5],
  ["getInt32Option", 9999],
  ["setInt32Option", 16, 1],
  ["setInt32Option", 17, "x"],
  ["getInt64Option", 17],
]) {
  print(call, ...given, await outcome(() => dealer[/** @type {string} */ (call)](...given)));
}
await dealer.bind("tcp://127.0.0.1:*");
dealer.routingId = "late";
dealer.linger = 0;
await new Promise((resolve) => setImmediate(resolve));
dealer.close();

const context = /** @type {any} */ (new zmq.Context({ maxSockets: 1 }));
for (const option of [
  "ioThreads",
  "maxSockets",
  "maxSocketsLimit",
  "threadPriority",
  "threadSchedulingPolicy",
  "maxMessageSize",
  "ipv6",
  "blocky",
]) {
  print("context", option, context[option]);
}
const first = new zmq.Push({ context });
print(await outcome(() => new zmq.Push({ context })));
first.close();
