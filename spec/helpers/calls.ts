/** Counts the calls of functions of src/ that one action makes. */

import { readFileSync } from "node:fs";
import type { Profiler, Session } from "node:inspector";
import { findSourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * True where a position in what was compiled can be told as one in src/: not without source maps, as on other runtimes.
 */
export const NAMES_SOURCES: boolean = process.execArgv.includes("--enable-source-maps");

/** Tells where in src/ an octet of a compiled file comes from; undefined for what is not ours. */
function sourceOf(url: string, offset: number): string | undefined {
  const map = findSourceMap(url.startsWith("file:") ? fileURLToPath(url) : url);
  if (map === undefined) return undefined;
  const before = readFileSync(fileURLToPath(url), "utf8").slice(0, offset);
  const line = before.split("\n").length - 1;
  const entry = map.findEntry(line, offset - (before.lastIndexOf("\n") + 1)) as { originalSource?: string };
  return /\bsrc\/[a-z0-9/-]+\.ts$/.exec(entry.originalSource ?? "")?.[0].slice("src/".length);
}

/**
 * The calls as `file function`, each as often as it was made. The action must not wait: what comes after it is not
 * counted.
 */
export async function callsOf(action: () => void): Promise<string[]> {
  const inspector = await import("node:inspector");
  const session: Session = new inspector.Session();
  let coverage: Profiler.ScriptCoverage[] = [];
  const take = (): void => {
    session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      coverage = result;
    });
  };
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  try {
    take();
    action();
    take();
  } finally {
    session.disconnect();
  }
  return coverage.flatMap(({ url, functions }) =>
    functions.flatMap(({ functionName, ranges: [{ startOffset, count }] }) => {
      const file = count === 0 || !url.startsWith("file:") ? undefined : sourceOf(url, startOffset);
      return file === undefined ? [] : new Array<string>(count).fill(`${file} ${functionName}`);
    }),
  );
}
