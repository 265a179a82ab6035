/** RFC 24 "ZMTP PLAIN" and the parts of RFC 27 "ZAP" that a server keeps. */
import { encodeZapRequest, parseZapReply } from "../../src/mechanism/zap.ts";
import { Bench, converse } from "../connection/peer.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("rfc/24-plain-27-zap");

function reply(status: string): Buffer[] {
  return ["", "1.0", "1", status, "", "joe", ""].map((frame) => Buffer.from(frame));
}

/** A client and a server whose ZAP handler answers with that status. */
function meeting(status: string): { client: Bench; server: Bench; asked: string[][] } {
  const asked: string[][] = [];
  const client = new Bench("DEALER", { plain: "client" }).start();
  const server = new Bench("ROUTER", {
    plain: "server",
    options: { zapDomain: Buffer.from("test") },
    peerAddress: "192.168.55.1",
    zap: (frames, answer) => {
      asked.push(frames.map(String));
      answer(reply(status), 0);
    },
  }).start();
  converse(client, server);
  return { client, server, asked };
}

it("24: the greeting's as-server says which peer is the server", () => {
  for (const [role, octet] of [
    ["client", 0],
    ["server", 1],
  ] as const) {
    const bench = new Bench("REQ", { plain: role })
      .start()
      .feed(`ff 0000000000000000 7f 03 01 504c41494e${"00".repeat(47)}`);
    assert.is(Buffer.from(bench.take(), "hex")[32], octet);
  }
});

it("24: HELLO, WELCOME, INITIATE and READY make a connection", () => {
  const { client, server } = meeting("200");
  assert.equal(client.lines, ["ready 301 ROUTER "]);
  assert.equal(server.lines, ["ready 301 DEALER "]);
});

it("24: a server that does not accept HELLO answers ERROR and closes", () => {
  for (const status of ["400", "500"]) {
    const { client, server } = meeting(status);
    assert.equal([client.lines, server.lines], [[`auth ${status}`], [`auth ${status}`]]);
  }
});

it("27: a request has delimiter, version, request id, domain, address, identity, mechanism and credentials", () => {
  assert.equal(meeting("200").asked, [["", "1.0", "1", "test", "192.168.55.1", "", "PLAIN", "admin", "secret"]]);
  const request = {
    domain: Buffer.from("test"),
    address: "192.168.55.1",
    identity: Buffer.from("BOB"),
    credentials: [],
  };
  const frames = encodeZapRequest({ ...request, mechanism: "NULL" }).map(String);
  assert.equal(frames, ["", "1.0", "1", "test", "192.168.55.1", "BOB", "NULL"]);
});

it("27: 200 is success and carries the user id, 300 a temporary error, 400 a denial, 500 an internal error", () => {
  for (const status of [200, 300, 400, 500]) assert.is(parseZapReply(reply(String(status))).status, status);
  assert.is(String(parseZapReply(reply("200")).userId), "joe");
  assert.is(String(meeting("200").server.peer?.properties.get("User-Id")), "joe");
  const { client, server } = meeting("300");
  assert.equal([client.lines, server.lines], [[], ["auth 300"]]);
});

it.run();
