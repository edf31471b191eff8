import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  LexicalIndex,
  type LexicalIndexOptions,
  type LexicalMatch,
} from "../../../src/knowledge/search/LexicalIndex.ts"
import { type LexicalQuery, makeLexicalQuery } from "../../../src/knowledge/search/LexicalQuery.ts"
import {
  informationOf,
  inverseDocumentFrequency,
  similarityOfScoreIn,
} from "../../../src/knowledge/search/Similarity.ts"
import type { Language } from "../../../src/language/Language.ts"
import type { PackedChunk } from "../../../src/storage/search/ChunkPacks.ts"
import { termOf } from "../../../src/knowledge/segments/Lexemes.ts"
import { chunkIdOf, chunkOf, documentIdOf, queryOf, segmentOf } from "../../lib/Lexemes.ts"

const indexOf = (chunks: ReadonlyArray<PackedChunk>, options?: LexicalIndexOptions) =>
  new LexicalIndex([segmentOf(chunks)], options)

const ask = (words: string): LexicalQuery => queryOf(words.split(" "), 0.001)
const idsOf = (matches: ReadonlyArray<LexicalMatch>) => matches.map((match) => match.chunkId)

const word = fc.constantFrom("oak", "elm", "ash", "fir", "yew", "pine", "larch", "birch")
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "))
const texts = fc.array(text, { minLength: 1, maxLength: 25 })

/** BM25 by its definition, without an index. The rarity of a word is partly that in texts in general. */
const scoresByDefinition = (all: ReadonlyArray<string>, query: string): ReadonlyArray<number> => {
  const chunks = all.map((chunk) => chunk.split(" "))
  const average = chunks.reduce((sum, words) => sum + words.length, 0) / chunks.length
  return chunks.map((words) =>
    query.split(" ").reduce((score, word) => {
      const count = chunks.filter((other) => other.includes(word)).length
      const frequency = words.filter((other) => other === word).length
      const here = Math.log(1 + (chunks.length - count + 0.5) / (count + 0.5))
      // Two hundred texts in general are added, of which the share that is common contains the word.
      const general = Math.log(1 + (chunks.length + 199.8 - count + 0.5) / (count + 0.2 + 0.5))
      const idf = 0.7 * here + 0.3 * general
      // Repetitions count less in a question of one or two words.
      const saturation = query.split(" ").length <= 2 ? 0.75 : 1
      return score + (idf * 2.2 * frequency) / (frequency + saturation * 1.2 * (0.32 + (0.68 * words.length) / average))
    }, 0),
  )
}

describe("a lexical index", () => {
  test("scores single words by BM25", () => {
    fc.assert(
      fc.property(texts, word, (all, query) => {
        const index = indexOf(all.map((chunk, number) => chunkOf(number, chunk)))
        const found = new Map(index.search(ask(query), all.length).map((match) => [match.chunkId, match.score]))
        for (const [number, score] of scoresByDefinition(all, query).entries()) {
          expect(found.get(chunkIdOf(number)) ?? 0).toBeCloseTo(score, 4)
        }
      }),
    )
  })

  test("takes the score for the similarity to pairs of characters only, most of which any passage contains", () => {
    const all = ["商品 品退 退货", "商品 品名", "名单 单价"].map((chunk, number) => chunkOf(number, chunk))
    const of = (words: string): readonly [number, number] => {
      const query = ask(words)
      const rarity = query.map(({ stems }) => {
        const count = all.filter((_, number) => indexOf(all.slice(number, number + 1)).holds(stems[0]?.[0] ?? 0)).length
        return inverseDocumentFrequency(count, all.length)
      })
      const terms = query.map((one, place) => ({
        information: informationOf(one, 1, all.length),
        rarity: rarity[place] ?? 0,
        termsPerWord: 2,
      }))
      const [best] = indexOf(all).search(query, 1)
      return [best?.similarity ?? 0, similarityOfScoreIn(terms, all.length)(best?.score ?? 0)]
    }
    const [paired, ofScore] = of("品退 退货")
    expect(paired).toBeCloseTo(ofScore, 5)
    const [words, ofTheirScore] = of("oak 退货")
    expect(words).not.toBeCloseTo(ofTheirScore, 2)
  })

  test("finds each chunk that contains any of the words, and no other", () => {
    fc.assert(
      fc.property(texts, text, (all, query) => {
        const index = indexOf(all.map((chunk, number) => chunkOf(number, chunk)))
        const expected = all.flatMap((chunk, number) =>
          chunk.split(" ").some((word) => query.split(" ").includes(word)) ? [chunkIdOf(number)] : [],
        )
        expect(idsOf(index.search(ask(query), 1_000)).toSorted()).toEqual(expected.toSorted())
      }),
    )
  })

  test("answers the same however its chunks are spread over segments, and leaves out outdated documents", () => {
    fc.assert(
      fc.property(texts, texts, text, fc.integer({ min: 1, max: 5 }), (all, old, query, parts) => {
        const chunks = all.map((chunk, number) => chunkOf(number, chunk))
        const outdated = old.map((chunk, number) => chunkOf(number, chunk, { document: 1_000 + number, revision: 2 }))
        const segments = Array.from({ length: parts }, (_, part) =>
          segmentOf(chunks.filter((_chunk, number) => number % parts === part)),
        )
        const spread = new LexicalIndex(segments)
        const shrunk = new LexicalIndex([...segments, segmentOf(outdated)], {
          isOutdated: ({ revision }) => revision === 2,
        })
        const expected = indexOf(chunks).search(ask(query), 1_000)
        const byId = (matches: ReadonlyArray<LexicalMatch>) =>
          matches.toSorted((a, b) => (a.chunkId < b.chunkId ? -1 : 1))
        for (const [number, match] of byId(spread.search(ask(query), 1_000)).entries()) {
          expect(match.score).toBeCloseTo(byId(expected)[number]?.score ?? 0, 4)
          expect(match.similarity).toBeCloseTo(byId(expected)[number]?.similarity ?? 0, 6)
        }
        expect(shrunk.size).toBe(all.length)
        expect(idsOf(shrunk.search(ask(query), 1_000)).toSorted()).toEqual(idsOf(expected).toSorted())
      }),
    )
  })

  test("returns the best matches first, and keeps no scores for the next search", () => {
    const index = indexOf([chunkOf(0, "oak elm"), chunkOf(1, "oak oak oak"), chunkOf(2, "fir")])
    for (let round = 0; round < 2; round++) expect(idsOf(index.search(ask("oak"), 1))).toEqual([chunkIdOf(1)])
  })

  test("ranks a word in the title higher than one in the text", () => {
    const index = indexOf([chunkOf(0, "elm oak"), chunkOf(1, "elm", { title: "oak" })])
    expect(idsOf(index.search(ask("oak"), 2))).toEqual([chunkIdOf(1), chunkIdOf(0)])
  })

  test("ranks words higher that stand side by side as in the question, but not across title and text", () => {
    const index = indexOf([
      chunkOf(0, "elm ash oak fir yew"),
      chunkOf(1, "oak elm fir yew ash"),
      chunkOf(2, "ash yew pine", { title: "pine oak" }),
    ])
    const [first, second] = index.search(ask("ash oak"), 3).filter((match) => match.chunkId !== chunkIdOf(2))
    expect(first?.chunkId).toBe(chunkIdOf(0))
    expect(first?.similarity).toBeGreaterThan(second?.similarity ?? 1)
    const crossing = index.search(ask("oak ash"), 3).find((match) => match.chunkId === chunkIdOf(2))
    expect(crossing?.similarity).toBe(
      index.search(ask("ash oak"), 3).find((m) => m.chunkId === chunkIdOf(2))?.similarity,
    )
  })

  test("returns a similarity by how much of the question a chunk covers", () => {
    const index = indexOf(Array.from({ length: 50 }, (_, number) => chunkOf(number, `word${number} oak`)))
    const [whole] = index.search(ask("word7 oak"), 1)
    const [part] = index.search(ask("word7 unheard unseen unknown"), 1)
    expect(whole?.similarity).toBeGreaterThan(0.5)
    expect(part?.similarity).toBeLessThan(0.2)
  })

  test("uses the frequencies of the whole collection when it contains only a part", () => {
    const chunks = [chunkOf(0, "oak elm"), chunkOf(1, "oak"), chunkOf(2, "elm")]
    const rare = indexOf(chunks, { collection: { chunks: 1_000, chunkFrequency: () => 2 } }).search(ask("oak"), 1)
    const common = indexOf(chunks, { collection: { chunks: 1_000, chunkFrequency: () => 900 } }).search(ask("oak"), 1)
    expect(rare[0]?.score).toBeGreaterThan(10 * (common[0]?.score ?? Infinity))
  })

  test("finds nothing when the index or the question is empty", () => {
    expect(new LexicalIndex([]).search(ask("oak"), 5)).toEqual([])
    expect(indexOf([chunkOf(0, "oak")]).search([], 5)).toEqual([])
  })

  test("lists the documents of a segment with the number of their chunks", () => {
    const segment = segmentOf([
      chunkOf(0, "oak", { document: 7 }),
      chunkOf(1, "elm", { document: 7 }),
      chunkOf(2, "fir"),
    ])
    expect(segment.documents).toEqual([
      { id: documentIdOf(7), revision: 1, chunks: 2, isEmbedded: false },
      { id: documentIdOf(2), revision: 1, chunks: 1, isEmbedded: false },
    ])
  })
})

describe("the query of a question", () => {
  const stemmed = (language: Language, share: number, lexemes: ReadonlyArray<string>) => ({
    stems: lexemes.map((lexeme) => (lexeme === "" ? [] : [termOf(lexeme, language)])),
    share,
  })

  test("has a term of a word for each language, also where two languages stem it alike", () => {
    const languages = [stemmed("german", 0.5, ["haus", "miet"]), stemmed("simple", 0.5, ["häuser", "miet"])]
    const query = makeLexicalQuery(["häuser", "mieten"], languages, 0, () => 0.1)
    expect(query.map(({ stems }) => new Set(stems.flat()).size)).toEqual([2, 2])
  })

  test("leaves out the stop words of its language, and has the share of the passages without those of others", () => {
    const languages = [stemmed("german", 0.75, ["", "krieg", ""]), stemmed("english", 0.25, ["war", "", ""])]
    const ask = (own: number) => makeLexicalQuery(["war", "krieg", "in"], languages, own, () => 0.1)
    expect(ask(0).map(({ droppedShare }) => droppedShare)).toEqual([0.25])
    expect(ask(1).map(({ droppedShare }) => droppedShare)).toEqual([0.75])
  })

  test("takes passages to contain the words that their language drops, and does not miss these where they are many", () => {
    const chunks = Array.from({ length: 20 }, (_, number) =>
      number < 18 ? chunkOf(number, "krieg", { language: "german" }) : chunkOf(number, number < 19 ? "war" : "town"),
    )
    const [german, english] = [stemmed("german", 0.9, ["", "", ""]), stemmed("english", 0.1, ["war", "town", "lake"])]
    const query = makeLexicalQuery(["war", "town", "lake"], [german, english], 1, () => 0.001)
    const kept = stemmed("german", 0.9, ["war", "town", "lake"])
    const missed = makeLexicalQuery(["war", "town", "lake"], [kept, english], 1, () => 0.001)
    const [dropped, rare] = [query, missed].map((asked) => indexOf(chunks).search(asked, 1)[0])
    expect(dropped?.score).toBeLessThan((rare?.score ?? 0) / 2)
    expect(rare?.similarity).toBeGreaterThan(0)
  })

  test("distinguishes pairs of characters from words", () => {
    expect(queryOf(["黑豹", "abc"], 0.1).map(({ isPair }) => isPair)).toEqual([true, false])
  })
})
