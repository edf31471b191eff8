import { type Atom, atomsOf, type Limits } from "./Atoms.ts"
import { type Block, blocksOf } from "./Blocks.ts"
import { weigh, WEIGHT_PER_TOKEN } from "./Tokens.ts"
import type { ExtractedText } from "../extract/Extraction.ts"
import { plainText } from "../extract/Heading.ts"

/** A passage of a document: large enough to contain an answer, and small enough to have a single subject. */
interface Chunk {
  /** The number of the chunk in its document, from 1 without gaps. */
  readonly ordinal: number
  /** The headings above the chunk, outermost first, without the document's title. */
  readonly headings: ReadonlyArray<string>
  /** The text of the chunk with its own heading lines. Each part of a split table begins with its caption and header. */
  readonly text: string
  /** The offset in the document's text where the chunk begins, in UTF-16 code units. */
  readonly start: number
  /** The offset after the chunk. */
  readonly end: number
  /** The page on which the chunk begins, from 1; null where the format has no pages. */
  readonly page: number | null
}

export interface ChunkOptions {
  /** The size up to which chunks are filled, in tokens as `Tokens.ts` estimates them. */
  readonly targetTokens: number
  /** The size that no chunk exceeds, in the same tokens; at least 2. */
  readonly maxTokens: number
}

/** Measured on exact answer spans: with larger chunks, searches find little more and bury the answer in other text. */
const DEFAULT_OPTIONS: ChunkOptions = { targetTokens: 400, maxTokens: 500 }

/** Drafts smaller than this share of the target are merged with a neighbour. */
const TINY_SHARE = 0.25

/** The titles of nested headings, outermost first. */
type Path = ReadonlyArray<string>

/** A chunk before it is merged with its neighbours. */
interface Draft {
  readonly start: number
  readonly end: number
  readonly weight: number
  readonly prefix: string
  readonly prefixWeight: number
  /** The headings of the draft: where several sections were merged, those that they have in common. */
  readonly path: Path
  /** Only a section below this path may be merged with the draft. */
  readonly scope: Path
  /** Whether the draft contains more than headings. */
  readonly hasBody: boolean
}

interface Section {
  readonly path: Path
  readonly heading: ReadonlyArray<Atom>
  readonly body: ReadonlyArray<Atom>
}

/** The limits of a section's first block, which leave room for the heading unless the heading fills most of a chunk. */
const limitsBelow = (heading: ReadonlyArray<Atom>, limits: Limits): Limits => {
  const room = limits.max - heading.reduce((sum, atom) => sum + atom.weight, 0)
  const max = Math.max(room, limits.max / 2)
  return { max, target: Math.min(limits.target, max) }
}

const sectionsOf = (text: string, limits: Limits): ReadonlyArray<Section> => {
  const sections: Array<Section> = []
  let open: ReadonlyArray<{ readonly level: number; readonly title: string }> = []
  let section: Section & { readonly body: Array<Atom> } = { path: [], heading: [], body: [] }
  let above: Block | undefined
  for (const block of blocksOf(text)) {
    const { heading } = block
    if (heading === undefined) {
      const fits = section.body.length === 0 ? limitsBelow(section.heading, limits) : limits
      for (const atom of atomsOf(text, block, fits, above)) section.body.push(atom)
      above = block
      continue
    }
    above = undefined
    sections.push(section)
    open = [
      ...open.filter(({ level }) => level < heading.level),
      { level: heading.level, title: plainText(heading.text) },
    ]
    section = { path: open.map(({ title }) => title), heading: atomsOf(text, block, limits), body: [] }
  }
  return [...sections, section]
}

const startsWith = (path: Path, prefix: Path) => prefix.every((title, index) => path[index] === title)

const commonPath = (left: Path, right: Path): Path => {
  const differs = left.findIndex((title, index) => right[index] !== title)
  return differs < 0 ? left : left.slice(0, differs)
}

const draftOf = ({ start, end, weight, prefix }: Atom, path: Path, hasBody: boolean): Draft => {
  const prefixWeight = weigh(prefix)
  return { start, end, weight: weight + prefixWeight, prefix, prefixWeight, path, scope: path.slice(0, -1), hasBody }
}

/** Joins two neighbours. The prefix of the second is left out, since the text that it repeats stands in the first. */
const join = (left: Draft, right: Draft): Draft => ({
  start: left.start,
  end: right.end,
  weight: joinedWeight(left, right),
  prefix: left.prefix,
  prefixWeight: left.prefixWeight,
  path: !left.hasBody ? right.path : !right.hasBody ? left.path : commonPath(left.path, right.path),
  scope: commonPath(left.scope, right.scope),
  hasBody: left.hasBody || right.hasBody,
})

const joinedWeight = (left: Draft, right: Draft) => left.weight + right.weight - right.prefixWeight

/** Fills drafts with atoms in order, up to the target. A draft of headings only may grow to the maximum. */
const packSection = ({ path, heading, body }: Section, limits: Limits): ReadonlyArray<Draft> => {
  const drafts: Array<Draft> = []
  const add = (draft: Draft) => {
    const last = drafts.at(-1)
    const limit = last?.hasBody === false ? limits.max : limits.target
    if (last !== undefined && joinedWeight(last, draft) <= limit) drafts[drafts.length - 1] = join(last, draft)
    else drafts.push(draft)
  }
  for (const atom of heading) add(draftOf(atom, path, false))
  for (const atom of body) add(draftOf(atom, path, true))
  return drafts
}

/** Merges drafts that are tiny, or that consist of headings only, with a neighbour where the result fits. */
const mergeTiny = (drafts: ReadonlyArray<Draft>, limits: Limits): ReadonlyArray<Draft> => {
  const isTiny = (draft: Draft) => !draft.hasBody || draft.weight < limits.target * TINY_SHARE
  const merged: Array<Draft> = []
  for (const draft of drafts) {
    const last = merged.at(-1)
    const merges =
      last !== undefined &&
      (isTiny(last) || isTiny(draft)) &&
      startsWith(draft.path, last.scope) &&
      joinedWeight(last, draft) <= limits.max
    if (merges) merged[merged.length - 1] = join(last, draft)
    else merged.push(draft)
  }
  return merged
}

const withoutTitle = (path: Path, title: string): Path =>
  path[0]?.trim().toLowerCase() === plainText(title).trim().toLowerCase() ? path.slice(1) : path

/**
 * Splits a document by headings, then by paragraphs, then by sentences. Every character except white space is in
 * exactly one chunk. Chunks are in order, do not overlap, are never empty and never exceed `maxTokens`.
 */
export const chunk = (
  document: Omit<ExtractedText, "omissions">,
  options: ChunkOptions = DEFAULT_OPTIONS,
): ReadonlyArray<Chunk> => {
  const { text, title, pages = [] } = document
  const max = options.maxTokens * WEIGHT_PER_TOKEN
  const limits: Limits = { max, target: Math.min(options.targetTokens * WEIGHT_PER_TOKEN, max) }
  const drafts = sectionsOf(text, limits).flatMap((section) => packSection(section, limits))
  const chunks: Array<Chunk> = []
  let page = 0
  for (const { start, end, prefix, path } of mergeTiny(drafts, limits)) {
    const raw = text.slice(start, end)
    const body = raw.trim()
    if (body === "") continue
    const from = start + raw.length - raw.trimStart().length
    while ((pages[page + 1]?.start ?? Number.POSITIVE_INFINITY) <= from) page++
    chunks.push({
      ordinal: chunks.length + 1,
      headings: withoutTitle(path, title),
      text: prefix + body,
      start: from,
      end: from + body.length,
      page: pages[page]?.page ?? null,
    })
  }
  return chunks
}
