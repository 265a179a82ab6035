/** Type-checks the package, its tests and examples, and the scripts: `npm run types`. */
import { BIN, run } from "./lib.mjs";

for (const project of ["tsconfig.json", "spec/tsconfig.json", "scripts/tsconfig.json"]) {
  const { code } = await run(process.execPath, [BIN.tsc, "--project", project]);
  if (code !== 0) process.exitCode = 1;
}
