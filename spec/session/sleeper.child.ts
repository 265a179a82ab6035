/** Binds, says where, and then stands still until it is told something: the kernel alone takes the peers that come. */
import { readSync } from "node:fs";
import { Pull } from "zmtp";

const pull = new Pull();
await pull.bind(process.argv[2] as string);
process.stdout.write(`${pull.lastEndpoint}\n`, () => {
  readSync(0, Buffer.alloc(1));
  void (async () => {
    let got = 0;
    for await (const _ of pull) process.stdout.write(`${++got}\n`);
  })();
});
