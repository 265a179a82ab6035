/**
 * Turns knobs of a running ffmpeg: its `zmq` filter takes commands for the other filters from a REQ socket.
 *
 *   node examples/ffmpeg.mjs
 *
 * Needs an ffmpeg with libzmq (Debian's has it). ffmpeg makes a grey picture, 25 times a second; we look at what comes out
 * of its other end while we ask it to brighten the picture. A command is `filter name value`, a reply `0 Success`, or another number
 * and a reason.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Request } from "zmtp";

const WIDTH = 16;
const HEIGHT = 16;

const folder = mkdtempSync(join(tmpdir(), "ffmpeg-"));
const address = `ipc://${join(folder, "commands")}`;
const escaped = address.replaceAll(":", "\\\\:");
const graph = `color=c=0x404040:s=${WIDTH}x${HEIGHT}:r=25,realtime,zmq=bind_address=${escaped},eq@light=brightness=0`;

const ffmpeg = spawn(
  "ffmpeg",
  ["-hide_banner", "-loglevel", "error", "-f", "lavfi", "-i", graph, "-pix_fmt", "gray", "-f", "rawvideo", "pipe:1"],
  { stdio: ["ignore", "pipe", "inherit"] },
);

/** The mean of a picture's pixels, once it is a new one. */
let brightness = -1;
let look = () => {};
let rest = Buffer.alloc(0);
ffmpeg.stdout.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (; rest.length >= WIDTH * HEIGHT; rest = rest.subarray(WIDTH * HEIGHT)) {
    const pixels = rest.subarray(0, WIDTH * HEIGHT);
    brightness = pixels.reduce((sum, pixel) => sum + pixel, 0) / pixels.length;
    look();
  }
});

/** Waits for a picture of which something is true. */
function picture(wanted) {
  return new Promise((resolve) => {
    look = () => {
      if (wanted(brightness)) resolve(brightness);
    };
  });
}

const socket = new Request({ linger: 0, receiveTimeout: 20_000 });
socket.connect(address);

async function command(text) {
  await socket.send(text);
  return String((await socket.receive())[0]).trim();
}

try {
  const before = await picture((value) => value >= 0);
  console.log(`brighter: ${await command("eq@light brightness 0.4")}`);
  const bright = await picture((value) => value > before + 50);
  console.log(`the picture is brighter: ${bright > before}`);
  console.log(`darker: ${await command("eq@light brightness -0.2")}`);
  const dark = await picture((value) => value < before);
  console.log(`the picture is darker: ${dark < before}`);
  console.log(`no such command: ${/^0 /.test(await command("eq@light nonsense 1")) ? "taken" : "refused"}`);
} finally {
  socket.close();
  ffmpeg.kill();
  rmSync(folder, { recursive: true, force: true });
}
