import { type Atom, atomsOf, type Limits } from "./Atoms.ts"
import { blocksOf } from "./Blocks.ts"
import { weigh, WEIGHT_PER_TOKEN } from "./Tokens.ts"
import type { ExtractedText } from "../extract/Extraction.ts"
import { plainText } from "../extract/Heading.ts"

export { estimateTokens } from "./Tokens.ts"

/** A passage of a document, large enough to answer from and small enough to be about one thing. */
export interface Chunk {
  /** From 1, without gaps. */
  readonly ordinal: number
  /** The headings it stands under, outermost first, without the document's title. */
  readonly headings: ReadonlyArray<string>
  /** The passage, with its own heading lines; the later parts of a split table begin with its header again. */
  readonly text: string
  /** Where it is in the document's text, in UTF-16 code units; `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** Page on which it begins, from 1; null where the format has no pages. */
  readonly page: number | null
}

export interface ChunkOptions {
  /** Tokens, as `estimateTokens` counts them, that a chunk aims at. */
  readonly targetTokens: number
  /** Tokens that no chunk exceeds; at least 2. */
  readonly maxTokens: number
}

/** Measured on exact answer spans: larger chunks find little more, and bury the answer in other text. */
export const defaultChunkOptions: ChunkOptions = { targetTokens: 400, maxTokens: 500 }

/** Sections smaller than this share of the target are merged with a neighbour. */
const TINY_SHARE = 0.25

type Path = ReadonlyArray<string>

/** A chunk to be. */
interface Draft {
  readonly start: number
  readonly end: number
  readonly weight: number
  readonly prefix: string
  readonly prefixWeight: number
  /** Its headings; those of what it has in common when several sections are merged. */
  readonly path: Path
  /** Sections that stand below this may be merged with it. */
  readonly scope: Path
  /** Holds more than headings. */
  readonly hasBody: boolean
}

interface Section {
  readonly path: Path
  readonly heading: ReadonlyArray<Atom>
  readonly body: ReadonlyArray<Atom>
}

/** What opens a section leaves room for its heading, unless that is most of a chunk by itself. */
const limitsBelow = (heading: ReadonlyArray<Atom>, limits: Limits): Limits => {
  const room = limits.max - heading.reduce((sum, atom) => sum + atom.weight, 0)
  const max = Math.max(room, limits.max / 2)
  return { max, target: Math.min(limits.target, max) }
}

const sectionsOf = (text: string, limits: Limits): ReadonlyArray<Section> => {
  const sections: Array<Section> = []
  let open: ReadonlyArray<{ readonly level: number; readonly title: string }> = []
  let section: Section & { readonly body: Array<Atom> } = { path: [], heading: [], body: [] }
  for (const block of blocksOf(text)) {
    const { heading } = block
    if (heading === undefined) {
      const fits = section.body.length === 0 ? limitsBelow(section.heading, limits) : limits
      for (const atom of atomsOf(text, block, fits)) section.body.push(atom)
      continue
    }
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

/** Two neighbours as one: what the second would have repeated is already there. */
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

/** Fills chunks up to the target, in order; a heading takes what follows it along. */
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

/** Merges what is too small to stand alone, and headings without a text of their own, with a neighbour. */
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
 * Splits a document by headings, then paragraphs, then sentences. Every character but white space is in exactly one
 * chunk; chunks are in order, do not overlap, and are never empty nor heavier than `maxTokens`.
 */
export const chunk = (document: ExtractedText, options: ChunkOptions = defaultChunkOptions): ReadonlyArray<Chunk> => {
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
