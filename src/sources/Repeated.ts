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
/** As many characters that pages share are what they say, where they say little else: variants of a product. */
const SHARED_MIN = 300

const hashOf = (block: string): string =>
  createHash("sha256").update(block.replaceAll(/\s+/g, " ").trim()).digest("hex").slice(0, HASH_LENGTH)

const levelOf = (block: string | undefined): number => /^(#{1,6}) /.exec(block ?? "")?.[1]?.length ?? 0

const lengthOf = (blocks: ReadonlyArray<string>): number => blocks.reduce((sum, { length }) => sum + length, 0)

interface SampledPage {
  readonly url: string
  readonly blocks: ReadonlyArray<string>
}

/**
 * The hashes of the blocks that repeat on these pages, behind that of the address of the page that keeps them: the first
 * one. What it has not stays on the other pages as well. Undefined when the pages are too few to tell.
 */
export const repeatedIn = (pages: ReadonlyArray<SampledPage>): ReadonlyArray<string> | undefined => {
  const [keeper] = pages
  if (keeper === undefined || pages.length < PAGES_MIN) return undefined
  const counts = new Map(keeper.blocks.map((block) => [hashOf(block), 0]))
  for (const { blocks } of pages)
    for (const hash of new Set(blocks.map(hashOf))) counts.set(hash, (counts.get(hash) ?? Number.NaN) + 1)
  const least = Math.max(PAGES_MIN, pages.length * SHARE)
  const found = [...counts].flatMap(([hash, count]) => (count >= least ? [hash] : []))
  return [hashOf(keeper.url), ...found.slice(0, REPEATED_MAX)]
}

/** What of the repeated blocks a page still keeps for all others; undefined when it is another one that keeps them. */
export const keptBy = (
  { blocks, url }: SampledPage,
  repeated: ReadonlyArray<string>,
): ReadonlyArray<string> | undefined => {
  const [keeper, ...hashes] = repeated
  if (keeper !== hashOf(url)) return undefined
  const there = new Set(blocks.map(hashOf))
  return [keeper, ...hashes.filter((hash) => there.has(hash))]
}

/**
 * A page without the blocks that repeat. A repeated heading stays where it has a text of its own, and everything does where
 * the page says little else.
 */
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
  const own = lengthOf(kept)
  const shared = lengthOf(blocks) - own
  return shared > own && shared > SHARED_MIN ? blocks : kept.toReversed()
}
