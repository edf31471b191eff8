import { createHash } from "node:crypto"

/*
 * Blocks of text that repeat on the pages of a site, such as banners and footers that do not look like one.
 */

/** Pages on which a block has to be, and that have to be read before any block counts as repeated. */
const PAGES_MIN = 4
/** The share of the pages on which a repeated block is. */
const SHARE = 0.5
const HASH_LENGTH = 16
const REPEATED_MAX = 500

const hashOf = (block: string): string =>
  createHash("sha256").update(block.replaceAll(/\s+/g, " ").trim()).digest("hex").slice(0, HASH_LENGTH)

const levelOf = (block: string | undefined): number => /^(#{1,6}) /.exec(block ?? "")?.[1]?.length ?? 0

/** The hashes of the blocks that repeat on these pages; undefined when they are too few to tell. */
export const repeatedIn = (pages: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> | undefined => {
  if (pages.length < PAGES_MIN) return undefined
  const counts = new Map<string, number>()
  for (const blocks of pages)
    for (const hash of new Set(blocks.map(hashOf))) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const least = Math.max(PAGES_MIN, pages.length * SHARE)
  return [...counts].flatMap(([hash, count]) => (count >= least ? [hash] : [])).slice(0, REPEATED_MAX)
}

/** A page without the blocks that repeat. A repeated heading stays where it has a text of its own. */
export const withoutRepeated = (
  blocks: ReadonlyArray<string>,
  repeated: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  if (repeated.length === 0) return blocks
  const hashes = new Set(repeated)
  const kept: Array<string> = []
  for (const block of blocks.toReversed()) {
    const isRepeated = hashes.has(hashOf(block))
    const level = levelOf(block)
    const next = kept.at(-1)
    const isEmptyHeading = level > 0 && (next === undefined || (levelOf(next) > 0 && levelOf(next) <= level))
    if (!isRepeated || (level > 0 && !isEmptyHeading)) kept.push(block)
  }
  return kept.toReversed()
}
