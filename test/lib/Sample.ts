import { join } from "node:path"
import { commitOf } from "./verify/Classes.ts"

/*
 * Searches for rare faults try many cases, kills and random operations. With `PARLEY_SEARCH=whole` they run in full;
 * elsewhere they try a sample, which the commit chooses, so that a failure can be repeated and each case has its turn.
 */

const isWhole = process.env["PARLEY_SEARCH"] === "whole"

const turn = Number.parseInt(commitOf(join(import.meta.dir, "../.."))?.slice(8, 16) ?? "0", 16)

/** The seed of a random search, which is the same for all searches at a commit. */
export const searchSeed = Number.isNaN(turn) ? 0 : turn

/** The size of a search: the first in full, the second of a sample. */
export const sizeOf = (full: number, sample: number): number => (isWhole ? full : sample)

/** All cases in full; of a sample about one of so many. */
export const sampleOf = <A>(cases: ReadonlyArray<A>, oneOf: number): ReadonlyArray<A> =>
  isWhole ? cases : cases.filter((_, index) => index % oneOf === turn % oneOf)
