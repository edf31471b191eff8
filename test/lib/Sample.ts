import { join } from "node:path"
import { commitOf } from "./verify/Classes.ts"

/*
 * Searches for rare faults try many cases, kills and random operations. With `PARLEY_SEARCH=whole` they run in full, and
 * with a number random ones so many times as long; elsewhere they try a sample, which the commit chooses, so that a
 * failure can be repeated and each case has its turn. `PARLEY_SEED` chooses instead of the commit.
 */

const { PARLEY_SEARCH: search = "", PARLEY_SEED: seed } = process.env
/** Whether searches run in full. */
export const isWholeSearch = search !== ""

/** How many times as long as in full a random search is, and may take. */
export const searchTimes = Number(search) || 1

const commit = Number.parseInt(commitOf(join(import.meta.dir, "../.."))?.slice(8, 16) ?? "0", 16)
const turn = seed === undefined ? commit : Number(seed)

/** The seed of a random search, which is the same for all searches at a commit. */
export const searchSeed = Number.isNaN(turn) ? 0 : turn

/** The size of a search: the first in full, the second of a sample. */
export const sizeOf = (full: number, sample: number): number => (isWholeSearch ? full : sample)

/** All cases in full; of a sample about one of so many. */
export const sampleOf = <A>(cases: ReadonlyArray<A>, oneOf: number): ReadonlyArray<A> =>
  isWholeSearch ? cases : cases.filter((_, index) => index % oneOf === searchSeed % oneOf)
