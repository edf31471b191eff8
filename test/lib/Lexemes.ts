import { ChunkId } from "../../src/domain/knowledge/Chunk.ts"
import { DocumentId } from "../../src/domain/Ids.ts"
import { type LexicalQuery, makeLexicalQuery } from "../../src/knowledge/search/LexicalQuery.ts"
import { termOf } from "../../src/knowledge/segments/Lexemes.ts"
import type { Segment } from "../../src/knowledge/segments/Segment.ts"
import { SegmentBuilder } from "../../src/knowledge/segments/SegmentBuilder.ts"
import type { PackedChunk } from "../../src/storage/search/ChunkPacks.ts"
import type { Language } from "../../src/language/Language.ts"

/*
 * The binary form of a `tsvector`, and chunks with it, made without Postgres.
 */

export type Weight = "A" | "B" | "D"

/** Encodes words in order, each with its weight. Every word is its own lexeme. */
const encodeLexemes = (words: ReadonlyArray<readonly [word: string, weight: Weight]>): Uint8Array => {
  const places = new Map<string, Array<number>>()
  for (const [index, [word, weight]] of words.entries()) {
    places.set(word, [...(places.get(word) ?? []), (("DCBA".indexOf(weight) << 14) | (index + 1)) >>> 0])
  }
  const parts = Array.from(places, ([word, positions]) => {
    const text = Buffer.from(`${word}\0`)
    const numbers = Buffer.alloc(2 + 2 * positions.length)
    numbers.writeUInt16BE(positions.length)
    for (const [index, position] of positions.entries()) numbers.writeUInt16BE(position, 2 + 2 * index)
    return Buffer.concat([text, numbers])
  })
  const count = Buffer.alloc(4)
  count.writeUInt32BE(parts.length)
  return Buffer.concat([count, ...parts])
}

const uuid = (kind: string, number: number): string =>
  `00000000-0000-7000-8000-${kind}${number.toString(16).padStart(11, "0")}`

/** The sixteen bytes of a UUID. */
export const uuidBytes = (id: string): Uint8Array => Buffer.from(id.replaceAll("-", ""), "hex")

export const documentIdOf = (number: number): DocumentId => DocumentId.make(uuid("d", number))
export const chunkIdOf = (number: number): ChunkId => ChunkId.make(uuid("c", number))

/** Makes a chunk of these words, which follow those of the title. */
export const chunkOf = (
  number: number,
  text: string,
  options: {
    readonly title?: string
    readonly document?: number
    readonly revision?: number
    /** Defaults to English. */
    readonly language?: Language
  } = {},
): PackedChunk => {
  const split = (words: string): ReadonlyArray<string> => words.split(" ").filter((word) => word !== "")
  return {
    id: uuidBytes(chunkIdOf(number)),
    documentId: uuidBytes(documentIdOf(options.document ?? number)),
    revision: options.revision ?? 1,
    language: options.language ?? "english",
    sketch: null,
    embedding: null,
    lexemes: encodeLexemes([
      ...split(options.title ?? "").map((word) => [word, "A"] as const),
      ...split(text).map((word) => [word, "D"] as const),
    ]),
  }
}

/** A question of words that are their own lexemes, in a knowledge base of English passages. */
export const queryOf = (words: ReadonlyArray<string>, commonness: number): LexicalQuery =>
  makeLexicalQuery(
    words,
    [
      {
        stems: words.map((word) => [termOf(word, "english")]),
        written: { language: "english", texts: words.map((word) => [word]) },
        share: 1,
      },
    ],
    0,
    () => commonness,
  )

export const segmentOf = (chunks: Iterable<PackedChunk>): Segment => {
  const builder = new SegmentBuilder()
  for (const chunk of chunks) builder.add(chunk)
  return builder.build()
}
