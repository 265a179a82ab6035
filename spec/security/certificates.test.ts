/** `zmtp/auth`: certificates as czmq and pyzmq write them. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadCertificate, loadCertificates, parseCertificate } from "../../src/auth.ts";
import { encodeZ85 } from "../../src/codec/z85.ts";
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
  assert.match(thrown(() => loadCertificate(missing)).message, "no such file or directory");
  const malformed = path.join(folder, "malformed");
  writeFileSync(malformed, "curve\n");
  assert.equal(
    [thrown(() => loadCertificate(malformed)).code, thrown(() => loadCertificate(malformed)).address],
    ["EINVAL", malformed],
  );
});

/** A certificate of its own for each number. */
const keyOf = (number: number): string => encodeZ85(Buffer.alloc(32, number));
const certificate = (number: number, name?: string): string =>
  `${name === undefined ? "" : `metadata\n    name = "${name}"\n`}curve\n    public-key = "${keyOf(number)}"\n`;

let stores = 0;
/** A folder with these files; what ends in a slash is a folder. */
function store(files: Readonly<Record<string, string>>): string {
  const root = path.join(folder, `store-${stores++}`);
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    if (name.endsWith("/")) mkdirSync(path.join(root, name));
    else writeFileSync(path.join(root, name), text);
  }
  return root;
}

it("a folder of public certificates: user ids by key", () => {
  const root = store({ "a.key": CZMQ, "b.key": `curve\n    public-key = "${SECRET}"\n`, "a.key_secret": PYZMQ });
  assert.equal(loadCertificates(root), { [PUBLIC]: "client 8", [SECRET]: "b" });
  assert.is(thrown(() => loadCertificates(path.join(folder, "nowhere"))).code, "ENOENT");
  assert.match(thrown(() => loadCertificates(path.join(folder, "nowhere"))).message, "no such file or directory");
  assert.is(thrown(() => loadCertificates(path.join(root, "a.key"))).code, "ENOTDIR");
  assert.equal(loadCertificates(store({})), {});
  assert.equal(loadCertificates(store({ "empty/": "" })), {}, "no file, and so nobody");
});

it("as czmq's store: any name but _secret and hidden ones, with folders and links", () => {
  const root = store({
    "anna.cert": certificate(1, "Anna"),
    curve_cert: certificate(2),
    "a.b.c": certificate(3),
    "x_secret.key": certificate(4),
    "sub/deep/bob": certificate(5),
    "folder.key/in": certificate(6),
    "own_secret/there": certificate(7),
    name_secret: certificate(8),
    "sub/deep/name_secret": certificate(9),
    ".hidden": certificate(10),
    ".folder/in": certificate(11),
  });
  const outside = store({ eve: certificate(12) });
  symlinkSync(outside, path.join(root, "linked"));
  symlinkSync("..", path.join(root, "sub", "round"));
  symlinkSync("anna.cert", path.join(root, "again.cert"));
  symlinkSync("anna.cert", path.join(root, "a_secret"));
  assert.equal(loadCertificates(root), {
    [keyOf(1)]: "Anna",
    [keyOf(2)]: "curve_cert",
    [keyOf(3)]: "a.b",
    [keyOf(4)]: "x_secret",
    [keyOf(5)]: "bob",
    [keyOf(6)]: "in",
    [keyOf(7)]: "there",
    [keyOf(12)]: "eve",
  });
});

it("what is no certificate, or cannot be read, is passed over, but not if it is all that there is", async () => {
  const bad = {
    "malformed.key": "malformed",
    "short.key": 'curve\n    public-key = "short"\n',
    "large.key": `${certificate(2)}${"#".repeat(1 << 17)}`,
    "README.md": "# Keys",
    "server.key_secret": PYZMQ,
    "folder.key/": "",
  };
  const root = store({ ...bad, "a.key": certificate(1) });
  const none = store(bad);
  for (const each of [root, none]) symlinkSync("nowhere", path.join(each, "dangling.key"));
  if (process.platform === "linux") {
    // Reading it would wait for a writer.
    for (const each of [root, none]) execFileSync("mkfifo", [path.join(each, "pipe.key")]);
    const server = createServer().listen(path.join(none, "socket.key"));
    await once(server, "listening");
    server.close();
  }
  assert.equal(loadCertificates(root), { [keyOf(1)]: "a" });
  const error = thrown(() => loadCertificates(none));
  assert.equal([error.code, error.address], ["EINVAL", none]);
  assert.match(error.message, /^None of \d+ files is a public certificate$/);
});

it("one key in two files is EINVAL: it would have two user ids", () => {
  const root = store({ "a.key": certificate(1, "anna"), "sub/b.cert": certificate(1, "bob"), c: certificate(2) });
  const error = thrown(() => loadCertificates(root));
  assert.equal([error.code, error.address], ["EINVAL", path.join(root, "sub", "b.cert")]);
  assert.is(error.message, `Its key is in ${path.join(root, "a.key")} too`);
});

it.run();
