import { Bench, converse, play } from "../connection/peer.ts";
import { assert, suite } from "../helpers/test.ts";
import * as vectors from "../vectors/zmtp.ts";

const it = suite("mechanism/plain");

const ADMIT = ["", "1.0", "1", "200", "OK", "", ""].map((frame) => Buffer.from(frame));
const DENY = ["", "1.0", "1", "400", "no", "", ""].map((frame) => Buffer.from(frame));

function zap(reply: Buffer[]): (frames: Buffer[], answer: (reply: Buffer[], now: number) => void) => void {
  return (_, answer) => answer(reply, 0);
}

/** The last line of a client (a REQ) or server (a REP) that reads these octets behind the greeting. */
function last(role: "client" | "server", octets: string): string | undefined {
  const runs = play(
    role === "client" ? "REQ" : "REP",
    { plain: role, zap: zap(ADMIT) },
    vectors.GREETING_PLAIN + octets,
  );
  for (const run of runs) assert.equal(run.lines, runs[0].lines, run.name);
  return runs[0].lines.at(-1);
}

it("lets client and server meet", () => {
  const client = new Bench("REQ", { plain: "client" }).start();
  const server = new Bench("REP", { plain: "server", zap: zap(ADMIT) }).start();
  converse(client, server);
  assert.equal([client.lines, server.lines], [["ready 301 REP "], ["ready 301 REQ "]]);
  assert.is(server.peer?.properties.get("User-Id")?.length, 0);
});

it("tells the client that it was denied", () => {
  const client = new Bench("REQ", { plain: "client" }).start();
  const server = new Bench("REP", { plain: "server", zap: zap(DENY) }).start();
  converse(client, server);
  assert.equal([client.lines, server.lines], [["auth 400"], ["auth 400"]]);
});

it("leaves two clients, and two servers, to the handshake timer", () => {
  const clients = [
    new Bench("REQ", { plain: "client" }).start(),
    new Bench("REP", { plain: "client" }).start(),
  ] as const;
  converse(...clients);
  for (const one of clients) assert.is(one.lines.at(-1), "ERR_ZMTP_UNEXPECTED_COMMAND");
  const servers = [
    new Bench("REQ", { plain: "server" }).start(),
    new Bench("REP", { plain: "server" }).start(),
  ] as const;
  converse(...servers);
  for (const one of servers) {
    one.connection.tick(30000);
    assert.equal(one.lines, ["timeout handshake"]);
  }
});

it("refuses a HELLO that does not end behind the password", () => {
  for (const data of [
    "",
    "00",
    "0561646d696e",
    "0561646d696e 06 7365637265",
    "0561646d696e 06 736563726574 00",
    "ff 61",
    "0001",
  ]) {
    const size = (6 + data.replace(/ /g, "").length / 2).toString(16).padStart(2, "0");
    assert.is(last("server", `04${size} 0548454c4c4f ${data}`), "ERR_ZMTP_MALFORMED_COMMAND_HELLO", data);
  }
  assert.is(last("server", "0408 0548454c4c4f 0000"), undefined);
});

it("refuses a WELCOME with more in it", () => {
  assert.is(last("client", "0409 0757454c434f4d45 00"), "ERR_ZMTP_MALFORMED_COMMAND_WELCOME");
});

it("refuses commands out of their order", () => {
  const { hello, welcome, initiate, ready } = vectors.PLAIN;
  for (const octets of [welcome, initiate, ready, "000161", hello + hello, hello + ready]) {
    assert.is(last("server", octets), "ERR_ZMTP_UNEXPECTED_COMMAND", octets);
  }
  for (const octets of [hello, initiate, ready, "000161", welcome + welcome, welcome + initiate]) {
    assert.is(last("client", octets), "ERR_ZMTP_UNEXPECTED_COMMAND", octets);
  }
});

it("understands ERROR in the right form and in libzmq's", () => {
  assert.is(last("client", vectors.ERROR_400), "auth 400");
  assert.is(last("client", vectors.ERROR_400_SHORT), "auth 400");
  assert.is(last("client", vectors.PLAIN.welcome + vectors.ERROR_400_SHORT), "auth 400");
  assert.is(last("client", "0407 5e52524f52 02 6e"), "ERR_ZMTP_MALFORMED_COMMAND_ERROR");
  assert.is(last("server", vectors.ERROR_400), "ERR_ZMTP_UNEXPECTED_COMMAND");
});

it("refuses a server or client of a type that does not fit", () => {
  const { hello, welcome } = vectors.PLAIN;
  assert.is(last("client", welcome + vectors.READY.PUB), "incompatible");
  assert.is(last("server", `${hello} 041c 08494e495449415445 0b536f636b65742d5479706500000003505542`), "incompatible");
});

it.run();
