/**
 * ipc: whose path it is, before, during and after.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ErrnoError } from "../../src/base/errors.ts";
import { Push } from "../../src/index.ts";
import { connectStream } from "../../src/transport/connect.ts";
import { type IpcEndpoint, parseEndpoint } from "../../src/transport/endpoint.ts";
import { nodePath } from "../../src/transport/ipc.ts";
import { listen, listenSync, type NetServer } from "../../src/transport/listen.ts";
import type { NetStream } from "../../src/transport/net-stream.ts";
import { internals } from "../../src/transport/open-server.ts";
import { assert, suite } from "../helpers/test.ts";
import { eventually, turns } from "../helpers/wait.ts";
import { descriptors, Log, optionsWith } from "./pair.ts";

const it = suite("transport/ipc");
const [uvMajor, uvMinor] = process.versions.uv.split(".").map(Number);
const hasAbstract = process.platform === "linux" && (uvMajor > 1 || uvMinor >= 48);
const isRoot = process.getuid?.() === 0;

let folder = "";
it.beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "zmtp-")));
});
it.afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Way = (address: string, onStream?: (stream: NetStream) => void) => Promise<NetServer>;

function endpointOf(address: string, use: "bind" | "connect" = "bind"): IpcEndpoint {
  return parseEndpoint(address, use) as IpcEndpoint;
}

const unexpected = (error: ErrnoError): void => assert.unreachable(`${error}`);
const drop = (stream: NetStream): void => stream.destroy();

const ways: Record<string, Way> = {
  listen: (address, onStream = drop) => listen(endpointOf(address), optionsWith(), { onStream, onError: unexpected }),
  listenSync: async (address, onStream = drop) =>
    listenSync(endpointOf(address), optionsWith(), { onStream, onError: unexpected }),
};

async function codeOf(start: () => Promise<NetServer>): Promise<string> {
  let server: NetServer;
  try {
    server = await start();
  } catch (error) {
    assert.instance(error, ErrnoError);
    assert.ok((error as ErrnoError).address?.startsWith("ipc://"));
    return (error as ErrnoError).code;
  }
  server.close();
  return "ok";
}

/** Whether somebody listens at `path`. */
async function answers(path: string): Promise<boolean> {
  const peer: Socket = connect({ path });
  try {
    await once(peer, "connect");
    return true;
  } catch {
    return false;
  } finally {
    peer.on("error", () => {}).destroy();
  }
}

for (const [name, way] of Object.entries(ways)) {
  it(`${name}: a path is there while it is bound, and gone afterwards`, async () => {
    const path = join(folder, "a");
    const accepted: NetStream[] = [];
    const server = await way(`ipc://${path}`, (stream) => accepted.push(stream));
    assert.is(server.address, `ipc://${path}`);
    assert.ok(lstatSync(path).isSocket());
    const peer = connect({ path });
    await eventually(() => accepted.length === 1);
    assert.is(accepted[0].localAddress, `ipc://${path}`);
    assert.is(accepted[0].peerAddress, "localhost");
    const log = new Log();
    accepted[0].handler = log;
    server.close();
    server.close();
    assert.not.ok(existsSync(path));
    peer.end("later");
    await log.ended;
    assert.is(log.text, "later");
    assert.equal(readdirSync(folder), []);
  });

  it(`${name}: a relative path stays relative, and is removed where it was though the directory changed`, async () => {
    const back = process.cwd();
    const other = join(folder, "other");
    mkdirSync(other);
    process.chdir(folder);
    try {
      const server = await way("ipc://name");
      assert.is(server.address, "ipc://name");
      process.chdir(other);
      writeFileSync("name", "not ours");
      server.close();
      assert.not.ok(existsSync(join(folder, "name")));
      assert.is(readFileSync("name", "utf8"), "not ours");
    } finally {
      process.chdir(back);
    }
  });

  it(`${name}: a relative path in a directory whose own path is too long`, async () => {
    const back = process.cwd();
    const deep = join(folder, "d".repeat(60), "e".repeat(60));
    mkdirSync(deep, { recursive: true });
    process.chdir(deep);
    try {
      const server = await way("ipc://name");
      assert.ok(await answers("name"));
      process.chdir(folder);
      writeFileSync("name", "not ours");
      server.close();
      assert.equal(readdirSync(deep), []);
      assert.equal(readdirSync(folder).sort(), ["d".repeat(60), "name"]);
      assert.is(readFileSync("name", "utf8"), "not ours");
    } finally {
      process.chdir(back);
    }
  });

  it(`${name}: what is left of a dead process is taken over`, async () => {
    const path = join(folder, "a");
    const child = spawn(process.execPath, [
      "-e",
      `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`,
    ]);
    await once(child, "exit");
    assert.ok(lstatSync(path).isSocket());
    const server = await way(`ipc://${path}`);
    assert.ok(await answers(path));
    server.close();
    assert.not.ok(existsSync(path));
  });

  it(`${name}: a second bind takes the path over, and the first one's close leaves it alone`, async () => {
    const path = join(folder, "a");
    const first = await way(`ipc://${path}`);
    const second = await way(`ipc://${path}`);
    first.close();
    assert.ok(await answers(path));
    assert.equal(readdirSync(folder), ["a"]);
    second.close();
    assert.not.ok(existsSync(path));
  });

  it(`${name}: a path that another process took over, or replaced, survives the close`, async () => {
    const path = join(folder, "a");
    const first = await way(`ipc://${path}`);
    rmSync(path);
    const server = createServer((socket) => socket.destroy()).listen({ path });
    await once(server, "listening");
    first.close();
    assert.ok(await answers(path));
    assert.equal(readdirSync(folder), ["a"]);
    server.close();
    const second = await way(`ipc://${path}`);
    rmSync(path);
    writeFileSync(path, "a file");
    second.close();
    assert.is(readFileSync(path, "utf8"), "a file");
    rmSync(path);
    const third = await way(`ipc://${path}`);
    rmSync(path);
    third.close();
    assert.equal(readdirSync(folder), []);
  });

  it(`${name}: nothing that is not a socket is removed`, async () => {
    writeFileSync(join(folder, "file"), "text");
    mkdirSync(join(folder, "directory"));
    symlinkSync("nowhere", join(folder, "dangling"));
    const server = await way(`ipc://${folder}/socket`);
    symlinkSync("socket", join(folder, "link"));
    for (const entry of ["file", "directory", "dangling", "link"]) {
      assert.is(await codeOf(() => way(`ipc://${folder}/${entry}`)), "EADDRINUSE", entry);
    }
    assert.equal(readdirSync(folder).sort(), ["dangling", "directory", "file", "link", "socket"]);
    assert.is(readFileSync(join(folder, "file"), "utf8"), "text");
    server.close();
  });

  it(`${name}: ENOENT for a missing directory, or a file in its place`, async () => {
    writeFileSync(join(folder, "file"), "text");
    assert.is(await codeOf(() => way(`ipc://${folder}/no/such`)), "ENOENT");
    assert.is(await codeOf(() => way(`ipc://${folder}/file/such`)), "ENOENT");
    assert.is(await codeOf(() => way(`ipc://${folder}/`)), "EADDRINUSE");
  });

  it(`${name}: a failure leaves no descriptor`, async () => {
    await turns();
    const before = descriptors();
    for (let i = 0; i < 50; i++) assert.is(await codeOf(() => way(`ipc://${folder}/no/such`)), "ENOENT");
    for (let i = 0; i < 50; i++) assert.is(await codeOf(() => way(`ipc://${folder}/a`)), "ok");
    await eventually(() => descriptors() <= before);
  });

  it(`${name}: ipc://* is a fresh directory under the temporary one, removed on close`, async () => {
    const saved = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      const [first, second] = [await way("ipc://*"), await way("ipc://*")];
      assert.match(first.address, /^ipc:\/\/\/.*\/tmp[A-Za-z0-9]{6}\/socket$/);
      assert.is.not(first.address, second.address);
      const path = first.address.slice("ipc://".length);
      assert.is(dirname(dirname(path)), folder);
      assert.is(lstatSync(dirname(path)).mode & 0o777, 0o700);
      assert.ok(await answers(path));
      first.close();
      second.close();
      assert.equal(readdirSync(folder), []);
      process.env.TMPDIR = join(folder, "x".repeat(100));
      mkdirSync(process.env.TMPDIR);
      assert.is(await codeOf(() => way("ipc://*")), "ENAMETOOLONG");
      assert.equal(readdirSync(process.env.TMPDIR), []);
      process.env.TMPDIR = join(folder, "nowhere");
      assert.is(await codeOf(() => way("ipc://*")), "ENOENT");
    } finally {
      if (saved === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = saved;
    }
  });

  if (hasAbstract) {
    it(`${name}: an abstract name has no file, and one owner`, async () => {
      const abstract = `zmtp-${process.pid}-${name}`;
      const server = await way(`ipc://@${abstract}`);
      assert.is(server.address, `ipc://@${abstract}`);
      assert.ok(await answers(`\0${abstract}`));
      assert.is(await codeOf(() => way(`ipc://@${abstract}`)), "EADDRINUSE");
      const stream = await new Promise<NetStream>((fulfil, reject) => {
        connectStream(endpointOf(`ipc://@${abstract}`, "connect"), optionsWith(), {
          onConnect: fulfil,
          onFail: reject,
        });
      });
      stream.destroy();
      server.close();
      assert.not.ok(await answers(`\0${abstract}`));
    });
  } else {
    it(`${name}: abstract names say what they need`, async () => {
      const error = await way("ipc://@x").then(undefined, (thrown: ErrnoError) => thrown as ErrnoError);
      assert.is((error as ErrnoError).code, "ENOTSUP");
      assert.match((error as ErrnoError).message, /Node 22/);
      const failed = await new Promise<ErrnoError>((onFail) => {
        connectStream(endpointOf("ipc://@x", "connect"), optionsWith(), { onConnect: drop, onFail });
      });
      assert.is(failed.code, "ENOTSUP");
    });
  }

  if (!isRoot) {
    it(`${name}: EACCES where nothing may be written`, async () => {
      chmodSync(folder, 0o500);
      assert.is(await codeOf(() => way(`ipc://${folder}/a`)), "EACCES");
      chmodSync(folder, 0o700);
    });
  }
}

/** Runs `body` as if on another platform, and puts the real one back before anything else runs. */
function on<T>(platform: string, body: () => T): T {
  const real = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...real, value: platform });
  try {
    return body();
  } finally {
    Object.defineProperty(process, "platform", real);
  }
}

it("ipc that cannot be here: connect throws what bind rejects with, and changes nothing", async () => {
  const cases: [platform: string, address: string, code: string][] = [
    ["win32", `ipc://${folder}/windows`, "EPROTONOSUPPORT"],
    ["win32", "ipc://@windows", "EPROTONOSUPPORT"],
    ["darwin", "ipc://@mac", "ENOTSUP"],
  ];
  if (!hasAbstract) cases.push([process.platform, "ipc://@name", "ENOTSUP"]);
  for (const [platform, address, code] of cases) {
    const push = new Push();
    const ways: (() => unknown)[] = [
      () => push.connect(address),
      () => push.bindSync(address),
      () => push.bind(address),
    ];
    for (const way of ways) {
      const error = await codeOf(async () => on(platform, way) as never);
      assert.is(error, code, `${platform} ${address} ${way}`);
      assert.is(push.lastEndpoint, null);
    }
    push.backlog = 1;
    push.close();
  }
});

it("abstract names by platform and libuv's version", () => {
  const can = (platform: string, uv: string): boolean => {
    try {
      const host = { platform: platform as NodeJS.Platform, versions: { ...process.versions, uv } };
      return nodePath(endpointOf("ipc://@x", "connect"), host) === "\0x";
    } catch (error) {
      assert.is((error as ErrnoError).code, "ENOTSUP");
      return false;
    }
  };
  assert.equal(
    ["1.44.2", "1.47.9", "1.48.0", "1.51.0", "2.0.0", ""].map((uv) => can("linux", uv)),
    [false, false, true, true, true, false],
  );
  assert.not(can("freebsd", "1.51.0"));
});

it("listenSync on a path works without Node's inner function", async () => {
  const { createServerHandle } = internals;
  internals.createServerHandle = undefined;
  try {
    const server = await ways.listenSync(`ipc://${folder}/a`);
    assert.ok(await answers(join(folder, "a")));
    server.close();
  } finally {
    internals.createServerHandle = createServerHandle;
  }
});

it("a path of the longest length works, with all of its bytes", async () => {
  const limit = process.platform === "linux" ? 107 : 103;
  const name = `\u00e4${"x".repeat(limit - folder.length - 1 - 2)}`;
  const server = await ways.listen(`ipc://${folder}/${name}`);
  assert.equal(readdirSync(folder), [name]);
  assert.ok(await answers(join(folder, name)));
  server.close();
  assert.equal(readdirSync(folder), []);
});

it("a process that ends without closing leaves nothing behind, nor a listener for its exit after closing", async () => {
  const listeners = process.listenerCount("exit");
  const open = [await ways.listen(`ipc://${folder}/a`), await ways.listenSync("ipc://*")];
  assert.is(process.listenerCount("exit"), listeners + 1);
  for (const server of open) server.close();
  assert.is(process.listenerCount("exit"), listeners);
  const path = fileURLToPath(new URL("./exit.child.mjs", import.meta.url));
  for (const how of ["natural", "exit", "error"]) {
    const child = spawn(process.execPath, [path, folder, how], { env: { ...process.env, TMPDIR: folder } });
    let output = "";
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    await once(child, "close");
    assert.match(output, /^a,tmp[A-Za-z0-9]{6}\n$/);
    assert.equal(readdirSync(folder), [], how);
  }
});

it("works in a cluster's worker", async () => {
  const path = fileURLToPath(new URL("./cluster.child.mjs", import.meta.url));
  const child = spawn(process.execPath, [path, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  await once(child, "close");
  assert.is(output, "bound bound bound bound\n");
});

it.run();
