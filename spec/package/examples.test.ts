/** The programs in examples/ do what they say. They use the built package by its name. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { assert, suite } from "../helpers/test.ts";
import { eventually } from "../helpers/wait.ts";

const it = suite("package/examples");

/** What each program prints. */
const OUTPUTS: Record<string, string> = {
  "pubsub.mjs": [0, 1, 2, 3, 4].map((hour) => `oslo at ${hour}:00: ${10 + hour} °C\n`).join(""),
  "pipeline.mjs": "sum of squares up to 12: 650\n",
  "broker.mjs": "one, says anna\ntwo, says bert\nthree, says anna\nfour, says bert\n4 requests, 4 replies\n",
  "router.mjs": "hello ada\nhello bob\nhello cleo\nnobody: EHOSTUNREACH\n",
  "forwarder.mjs": "the proxy saw a subscription to news\nnews: all is well\n",
  "pair.mjs": "right got: ready\nleft got: go,now\n",
  "curve.mjs": "let me in, says anna\nwelcome\nrefused: 400\nno answer: EAGAIN\n",
  "lazy-pirate.mjs": "attempt 1: no answer (EAGAIN)\nattempt 2: task done\n",
  "poll.mjs": "order: stop, after some tries\ntasks: 1000\nsend without peers: EAGAIN\n",
};

function output(program: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [`examples/${program}`, ...args], (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}${stderr}`));
    });
  });
}

/**
 * Which worker the broker asks first is a race of their connections, and so is whether poll's order is there at once.
 */
function settled(text: string): string {
  const names = text.startsWith("one, says bert") ? { anna: "bert", bert: "anna" } : { anna: "anna", bert: "bert" };
  return text.replace(/anna|bert/g, (name) => names[name as "anna"]).replace("stop\n", "stop, after some tries\n");
}

for (const [program, expected] of Object.entries(OUTPUTS)) {
  it(program, async () => assert.is(settled(await output(program)), settled(expected)), { timeout: 30_000 });
}

/** Examples that drive programs of others: what they print, and how to see whether the program is there. */
const DRIVERS: Record<string, { needs: [string, ...string[]]; shows: RegExp; prints: string }> = {
  "jupyter.mjs": {
    needs: ["/usr/bin/python3", "-c", "import ipykernel"],
    shows: /^/,
    prints: [
      "language: python\nheartbeat: ping\noutput: 42\nresult: 1267650600228229401496703205376\n",
      "error: ZeroDivisionError\nquestion: Who is there?\noutput: Hello, zmtp\noutput: waiting\n",
      "interrupted: KeyboardInterrupt\nstill there: 'zmtp'\n",
      "after a restart: NameError\nheartbeat: ping\nshut down\n",
    ].join(""),
  },
  "ffmpeg.mjs": {
    needs: ["ffmpeg", "-hide_banner", "-filters"],
    shows: / zmq /,
    prints: [
      "brighter: 0 Success\nthe picture is brighter: true\n",
      "darker: 0 Success\nthe picture is darker: true\nno such command: refused\n",
    ].join(""),
  },
};

for (const [program, { needs, shows, prints }] of Object.entries(DRIVERS)) {
  const [file, ...args] = needs;
  const { status, stdout } = spawnSync(file, args, { encoding: "utf8" });
  if (status === 0 && shows.test(stdout)) {
    it(program, async () => assert.is(await output(program), prints), { timeout: 60_000 });
  } else if (process.env.CI === "true") {
    it(program, () => assert.unreachable(`'${needs.join(" ")}' fails`));
  } else {
    it.skip(program, `'${needs.join(" ")}' fails`);
  }
}

/** Starts a server and resolves with the address that it prints first. */
async function start(program: string): Promise<{ server: ChildProcess; address: string; printed: () => string }> {
  const server = spawn(process.execPath, [`examples/${program}`, "tcp://127.0.0.1:*"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const address = await new Promise<string>((resolve) => {
    server.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = /listening at (\S+)/.exec(text);
      if (found !== null) resolve(found[1]);
    });
  });
  return { server, address, printed: () => text };
}

it(
  "hwserver.mjs and hwclient.mjs",
  async () => {
    const { server, address } = await start("hwserver.mjs");
    try {
      const client = await output("hwclient.mjs", address, "1");
      assert.is(client, "Sending request 0 …\nReceived reply 0 [ World ]\n");
    } finally {
      server.kill();
    }
  },
  { timeout: 30_000 },
);

it(
  "stream-server.mjs",
  async () => {
    const { server, address, printed } = await start("stream-server.mjs");
    try {
      const net = await import("node:net");
      const { port, hostname } = new URL(address.replace("tcp:", "http:"));
      const socket = net.connect(Number(port), hostname);
      socket.end("hello\n");
      await eventually(() => /: hello\n/.test(printed()));
    } finally {
      server.kill();
    }
  },
  { timeout: 30_000 },
);

it.run();
