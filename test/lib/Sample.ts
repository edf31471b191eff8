/*
 * Searches for rare faults try many cases, kills and random operations. In CI they run in full; elsewhere they try a
 * sample, another one each time, so that `bun run verify` takes minutes.
 */

const isFull = process.env["CI"] !== undefined

/** The size of a search: the first in CI, the second elsewhere. */
export const sizeOf = (full: number, sample: number): number => (isFull ? full : sample)

/** All cases in CI; elsewhere about one of so many, chosen at random. */
export const sampleOf = <A>(cases: ReadonlyArray<A>, oneOf: number): ReadonlyArray<A> => {
  const first = Math.floor(Math.random() * oneOf)
  return isFull ? cases : cases.filter((_, index) => index % oneOf === first)
}
