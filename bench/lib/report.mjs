/**
 * Results as text: units, ratios, and a table that is aligned for a terminal and valid Markdown at once.
 */

import { median } from "./statistics.mjs";

/**
 * @typedef {import("./rounds.mjs").Result} Result
 * @typedef {import("./rounds.mjs").Scenario} Scenario
 * @typedef {import("./session.mjs").Sample} Sample
 */

/** @param {number} octets */
export function sizeName(octets) {
  if (octets >= 1_048_576) return `${octets / 1_048_576} MiB`;
  return octets >= 1024 ? `${octets / 1024} KiB` : `${octets} B`;
}

/**
 * Three digits that count.
 *
 * @param {number} value
 */
function digits(value) {
  const magnitude = Math.abs(value);
  if (magnitude >= 100) return value.toFixed(0);
  return value.toFixed(magnitude >= 10 ? 1 : 2);
}

/**
 * A value with the unit that fits its size.
 *
 * @param {number} value
 * @param {Scenario} scenario
 * @returns {string}
 */
export function formatValue(value, { unit, size = 1 }) {
  if (unit === "messages/s") return value >= 1e6 ? `${digits(value / 1e6)} M/s` : `${digits(value / 1e3)} k/s`;
  if (unit === "bytes/s") {
    const bytes = value * size;
    return bytes >= 2 ** 30 ? `${digits(bytes / 2 ** 30)} GiB/s` : `${digits(bytes / 2 ** 20)} MiB/s`;
  }
  if (unit === "connections/s") return `${digits(value / 1e3)} k/s`;
  if (unit === "bytes" && value >= 2 ** 20) return `${digits(value / 2 ** 20)} MiB`;
  if (unit === "bytes") return `${digits(value / 1024)} KiB`;
  return `${digits(value)} ${unit}`;
}

/**
 * The median of an implementation, or undefined when there is none.
 *
 * @param {Result | undefined} result
 * @param {string} name
 * @param {(sample: Sample) => number} [of] What of each sample, when it is not its value.
 * @returns {number | undefined}
 */
export function medianOf(result, name, of = ({ value }) => value) {
  const samples = result?.samples.get(name);
  return samples === undefined || result?.gaps.has(name) ? undefined : median(samples.map(of));
}

/**
 * Minor page faults of the receiver for each message: new memory has one for each 4 KiB, memory used again has none.
 *
 * @param {Sample} sample
 * @returns {number}
 */
export function faultsOfMessage({ receiverFaults, count }) {
  return Number(receiverFaults) / Number(count);
}

/**
 * How many times as fast (or as small) `name` is as `other`; above 1 is better, whatever the unit.
 *
 * @param {Result} result
 * @param {string} name
 * @param {string} other
 * @returns {number | undefined}
 */
export function advantage(result, name, other) {
  const own = medianOf(result, name);
  const theirs = medianOf(result, other);
  if (own === undefined || theirs === undefined) return undefined;
  // What is left of memory may be less than before: there is no ratio then.
  if (own <= 0 || theirs <= 0) return undefined;
  return result.scenario.unit.endsWith("/s") ? own / theirs : theirs / own;
}

/**
 * Smallest and largest sample of an implementation.
 *
 * @param {Result} result
 * @param {string} name
 */
export function rangeOf(result, name) {
  const values = (result.samples.get(name) ?? []).map((sample) => sample.value);
  return { min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Where zmtp is slower, or bigger, than another implementation in its best form: a list, the worst first. Raw `net` is not
 * among them: it has no protocol, and is the limit, not a competitor.
 *
 * @param {Result[]} results
 * @returns {string}
 */
export function losses(results) {
  const lost = results.flatMap((result) =>
    ["native", "libzmq-c", "pyzmq"].flatMap((other) => {
      const ratio = advantage(result, "zmtp", other);
      return ratio === undefined || ratio >= 1 ? [] : [{ result, other, ratio }];
    }),
  );
  lost.sort((one, two) => one.ratio - two.ratio);
  if (lost.length === 0) return "zmtp is nowhere slower or bigger than another implementation here.";
  const lines = lost.map(({ result, other, ratio }) => {
    const own = rangeOf(result, "zmtp");
    const theirs = rangeOf(result, other);
    const overlap = own.min <= theirs.max && theirs.min <= own.max;
    const batch = advantage(result, "zmtp-many", other);
    const value = (/** @type {string} */ name) =>
      formatValue(/** @type {number} */ (medianOf(result, name)), result.scenario);
    return [
      `- ${result.scenario.title}: ${formatRatio(ratio)} ${other} (${value("zmtp")} against ${value(other)})`,
      batch === undefined ? "" : `; with sendMany and receiveMany ${formatRatio(batch)}`,
      overlap ? "; their samples overlap" : "",
    ].join("");
  });
  return [`zmtp loses ${lost.length} of its comparisons:`, "", ...lines].join("\n");
}

/** @param {number | undefined} ratio */
export function formatRatio(ratio) {
  return ratio === undefined ? "–" : `${digits(ratio)} ×`;
}

/**
 * One row a scenario: the median of each implementation, and how `subject` compares with the others.
 *
 * @param {Result[]} results
 * @param {{ implementations: string[], subject: string, against: string[] }} columns
 * @returns {string}
 */
export function comparison(results, { implementations, subject, against }) {
  const head = ["median", ...implementations, ...against.map((other) => `${subject} : ${other}`)];
  const rows = results.map((result) => [
    result.scenario.title,
    ...implementations.map((name) => {
      const value = medianOf(result, name);
      return value === undefined ? "–" : formatValue(value, result.scenario);
    }),
    ...against.map((other) => formatRatio(advantage(result, subject, other))),
  ]);
  return table([head, ...rows]);
}

/**
 * The spread of every series: smallest and largest sample as shares of the median.
 *
 * @param {Result[]} results
 * @param {string[]} implementations
 * @returns {string}
 */
export function spreads(results, implementations) {
  const rows = results.map((result) => [
    result.scenario.title,
    ...implementations.map((name) => {
      const middle = medianOf(result, name);
      if (middle === undefined) return "–";
      const values = (result.samples.get(name) ?? []).map((sample) => sample.value);
      const percent = (/** @type {number} */ value) =>
        `${value >= middle ? "+" : "−"}${Math.abs(Math.round((value / middle - 1) * 100))} %`;
      return `${percent(Math.min(...values))} ${percent(Math.max(...values))}`;
    }),
  ]);
  return table([["min and max against the median", ...implementations], ...rows]);
}

/**
 * Processor time of both ends for each message, in microseconds. Other work on the machine hardly moves it, while it
 * moves every rate: an implementation with more threads is given more of a busy machine.
 *
 * @param {Result[]} results
 * @param {string[]} implementations
 * @returns {string | undefined} Undefined when nothing in the results streams.
 */
export function processorTimes(results, implementations) {
  const rows = results
    .filter(({ scenario, samples }) => scenario.unit.endsWith("/s") || [...samples.values()].flat().some(isRoundTrip))
    .map(({ scenario, samples }) => [
      scenario.title,
      ...implementations.map((name) => {
        const taken = (samples.get(name) ?? []).filter((sample) => Number(sample.count) > 0);
        if (taken.length === 0) return "–";
        return digits(median(taken.map(processorTime)));
      }),
    ]);
  return rows.length === 0
    ? undefined
    : table([["CPU µs a message, both ends; a round trip, the asking process", ...implementations], ...rows]);
}

/** Of a round trip the asking process is measured; another one that answers does as much. @param {import("./session.mjs").Sample} sample */
const isRoundTrip = ({ cpuMs, quantiles }) => cpuMs !== undefined && quantiles !== undefined;

/** @param {import("./session.mjs").Sample} sample */
export function processorTime({ receiverCpuMs, senderCpuMs, cpuMs, count }) {
  return ((Number(receiverCpuMs ?? 0) + Number(senderCpuMs ?? 0) + Number(cpuMs ?? 0)) * 1000) / Number(count);
}

/** Messages below this are carried in memory that is used again. */
const FAULTING_BYTES = 65_536;

/**
 * Minor page faults for each message at the receiving and at the sending end: what memory that is not used again costs. No other
 * work on the machine moves it.
 *
 * @param {Result[]} results
 * @param {string[]} implementations
 * @returns {string | undefined} Undefined when nothing in the results streams large messages.
 */
export function pageFaults(results, implementations) {
  const rows = results
    .filter(({ scenario }) => scenario.unit === "bytes/s" && Number(scenario.size) >= FAULTING_BYTES)
    .map(({ scenario, samples }) => [
      scenario.title,
      ...implementations.map((name) => {
        const taken = (samples.get(name) ?? []).filter(({ receiverFaults }) => receiverFaults !== undefined);
        if (taken.length === 0) return "–";
        const each = (/** @type {string} */ end) =>
          digits(median(taken.map((sample) => Number(sample[end]) / Number(sample.count))));
        return `${each("receiverFaults")} / ${each("senderFaults")}`;
      }),
    ]);
  return rows.length === 0
    ? undefined
    : table([["page faults a message, receiver / sender", ...implementations], ...rows]);
}

/**
 * What is not in the table, and why; and what was lost.
 *
 * @param {Result[]} results
 * @returns {string[]}
 */
export function remarks(results) {
  /** @type {Map<string, string[]>} */
  const gaps = new Map();
  const lines = [];
  for (const { scenario, samples, gaps: reasons } of results) {
    for (const [name, reason] of reasons) {
      const key = `${name}: ${reason}`;
      gaps.set(key, [...(gaps.get(key) ?? []), scenario.title]);
    }
    for (const [name, taken] of samples) {
      const lost = taken.reduce((sum, sample) => sum + Number(sample.lost ?? 0), 0);
      if (lost !== 0) lines.push(`LOST: ${scenario.title}, ${name}: ${lost} messages`);
    }
  }
  for (const [key, titles] of gaps) {
    lines.push(`not measured: ${key}${titles.length === results.length ? "" : ` (${titles.join("; ")})`}`);
  }
  return lines;
}

/**
 * @param {string[][]} rows The first one is the head.
 * @returns {string}
 */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join("\n");
}
