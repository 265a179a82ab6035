/** `zmtp/auth`: certificates as czmq and pyzmq write them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadCertificate, loadCertificates, parseCertificate } from "../../src/auth.ts";
import { thrown } from "../helpers/sockets.ts";
import { assert, suite } from "../helpers/test.ts";

const it = suite("security/certificates");
const folder = mkdtempSync(path.join(tmpdir(), "zmtp-"));
it.after(() => rmSync(folder, { recursive: true }));

const PUBLIC = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
const SECRET = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

/** As `zmq.auth.create_certificates` of pyzmq writes it. */
const PYZMQ = `#   ****  Generated on 2024-05-01 10:00:00.000000 by pyzmq  ****
#   ZeroMQ CURVE **Secret** Certificate
#   DO NOT PROVIDE THIS FILE TO OTHER USERS nor change its permissions.

metadata
    name = "client-7"
    email = "joe@example.org"
curve
    public-key = "${PUBLIC}"
    secret-key = "${SECRET}"
`;

/** As czmq's zcert_save writes it. */
const CZMQ = `#   ****  Generated on 2024-05-01 10:00:00 by CZMQ  ****
#   ZeroMQ CURVE Public Certificate
#   Exchange securely, or use a secure mechanism to verify the contents
#   of this file after exchange. Store public certificates in your home
#   directory, in the .curve subdirectory.

metadata
    name = "client 8"
curve
    public-key = "${PUBLIC}"
`;

it("pyzmq's and czmq's", () => {
  const { publicKey, secretKey, metadata } = parseCertificate(PYZMQ);
  assert.equal([publicKey, secretKey], [PUBLIC, SECRET]);
  assert.equal(metadata, { name: "client-7", email: "joe@example.org" });
  assert.equal(parseCertificate(CZMQ), { publicKey: PUBLIC, secretKey: undefined, metadata: { name: "client 8" } });
});

it("other ways to write the same", () => {
  const ways = [
    `curve\n    public-key = "${PUBLIC}"`,
    `curve\r\n    public-key = "${PUBLIC}"\r\n`,
    `curve\n\tpublic-key='${PUBLIC}'`,
    `curve\n    public-key = ${PUBLIC}\n`,
    `curve   # keys\n    public-key = "${PUBLIC}"   # of a client\n`,
    `\n\nmetadata\ncurve\n\n    # comment\n    public-key = "${PUBLIC}"`,
    `other\n    public-key = "${SECRET}"\ncurve\n    public-key = "${PUBLIC}"\nlast\n    public-key = "${SECRET}"`,
  ];
  for (const text of ways) assert.is(parseCertificate(text).publicKey, PUBLIC, text);
});

it("what is none is EINVAL, which does not repeat a secret", () => {
  const wrong = [
    "",
    "curve",
    "public-key",
    `public-key = "${PUBLIC}"`,
    `metadata\n    public-key = "${PUBLIC}"`,
    `curve\n    secret-key = "${SECRET}"`,
    `curve\n    public-key = ""`,
    `curve\n    public-key = "short"`,
    `curve\n    public-key = "${PUBLIC.slice(1)}"`,
    `curve\n    public-key = "${PUBLIC}00000"`,
    `curve\n    public-key = "${" ".repeat(40)}"`,
    `curve\n    public-key = "${PUBLIC}"\n    secret-key = "${SECRET.slice(1)}"`,
    "\0".repeat(1000),
    "curve\n".repeat(10_000),
    `curve\n    public-key ${" ".repeat(2000)}x`,
  ];
  for (const text of wrong) {
    const error = thrown(() => parseCertificate(text));
    assert.is(error.code, "EINVAL", text.slice(0, 60));
    assert.not(error.message.includes(SECRET.slice(1, 10)));
  }
});

it("a file, and one that cannot be read", () => {
  const file = path.join(folder, "one.key_secret");
  writeFileSync(file, PYZMQ);
  assert.is(loadCertificate(file).secretKey, SECRET);
  const missing = path.join(folder, "missing.key");
  assert.equal(
    [thrown(() => loadCertificate(missing)).code, thrown(() => loadCertificate(missing)).address],
    ["ENOENT", missing],
  );
  const malformed = path.join(folder, "malformed");
  writeFileSync(malformed, "curve\n");
  assert.equal(
    [thrown(() => loadCertificate(malformed)).code, thrown(() => loadCertificate(malformed)).address],
    ["EINVAL", malformed],
  );
});

it("a folder of public certificates: user ids by key", () => {
  const store = path.join(folder, "store");
  mkdirSync(store);
  writeFileSync(path.join(store, "a.key"), CZMQ);
  writeFileSync(path.join(store, "b.key"), `curve\n    public-key = "${SECRET}"\n`);
  writeFileSync(path.join(store, "a.key_secret"), "not read");
  writeFileSync(path.join(store, "readme.txt"), "not read");
  assert.equal(loadCertificates(store), { [PUBLIC]: "client 8", [SECRET]: "b" });
  writeFileSync(path.join(store, "c.key"), "malformed");
  const error = thrown(() => loadCertificates(store));
  assert.equal([error.code, error.address], ["EINVAL", path.join(store, "c.key")], "not a list with somebody missing");
  assert.is(thrown(() => loadCertificates(path.join(folder, "nowhere"))).code, "ENOENT");
});

it.run();
