/** The value that the share of the values does not exceed; NaN of no values. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Quantiles of milliseconds as text, such as "p50 1.20  p95 3.41  p99 8.00 ms"; the last one may be 1, the longest. */
export const summary = (milliseconds: ReadonlyArray<number>, digits = 2, shares = [0.5, 0.95, 0.99]): string =>
  `${shares.map((share) => `p${100 * share} ${quantile(milliseconds, share).toFixed(digits)}`).join("  ")} ms`
