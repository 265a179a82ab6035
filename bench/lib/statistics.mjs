/**
 * Numbers out of samples. Medians and quartiles only: a mean over rounds lets one disturbed round speak for all.
 */

/**
 * The value below which a share `at` (0 to 1) of the sorted samples lies, interpolated between neighbours.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} at
 * @returns {number}
 */
export function quantile(sorted, at) {
  const place = (sorted.length - 1) * at;
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

/**
 * @param {number[]} samples
 * @returns {number}
 */
export function median(samples) {
  return quantile(Float64Array.from(samples).sort(), 0.5);
}

/**
 * @typedef {{ median: number, min: number, max: number, count: number }} Summary
 */

/**
 * @param {number[]} samples
 * @returns {Summary}
 */
export function summarize(samples) {
  const sorted = Float64Array.from(samples).sort();
  return { median: quantile(sorted, 0.5), min: sorted[0], max: sorted[sorted.length - 1], count: sorted.length };
}

/** Where the distribution of a series is told. c/common.h has the same. */
export const QUANTILES = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1];

/**
 * What is told of a series of round-trip times.
 *
 * @param {Float64Array} times Microseconds each; sorted in place.
 * @returns {{ count: number, mean: number, p50: number, p99: number, max: number, quantiles: number[] }}
 */
export function latencies(times) {
  let sum = 0;
  for (const time of times) sum += time;
  times.sort();
  return {
    count: times.length,
    mean: sum / times.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    max: times[times.length - 1],
    quantiles: QUANTILES.map((at) => Number(quantile(times, at).toFixed(2))),
  };
}
