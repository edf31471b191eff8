import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { placesToSample, Sample } from "../../../src/knowledge/search/Sample.ts"
import { select } from "../../../src/knowledge/search/Selection.ts"
import { inverseDocumentFrequency } from "../../../src/knowledge/search/Similarity.ts"
import type { LexemeQuery } from "../../../src/storage/search/LexemeQuery.ts"
import { termOf } from "../../../src/knowledge/segments/Lexemes.ts"
import { chunkOf, documentIdOf, queryOf, segmentOf } from "../../lib/Lexemes.ts"
import { random } from "../../lib/Random.ts"

const words = ["oak", "elm", "ash", "fir", "yew", "pine", "larch", "birch"]
const chunk = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 })
const chunks = fc.array(chunk, { minLength: 1, maxLength: 60 })
const question = fc.uniqueArray(fc.constantFrom(...words, "palm"), { minLength: 1, maxLength: 8 })

const sampleOf = (all: ReadonlyArray<ReadonlyArray<string>>, of = all.length) =>
  new Sample(of, segmentOf(all.map((held, number) => chunkOf(number, held.join(" ")))))
const ask = (asked: ReadonlyArray<string>) => queryOf(asked, 0.001)
const lexemesOf = (all: ReadonlyArray<string>) => new Map(all.map((word) => [termOf(word, "english"), word]))
const lexemes = lexemesOf([...words, "palm"])

/** Whether a chunk with these words matches a query, as Postgres decides it. */
const holds = (held: ReadonlyArray<string>, query: LexemeQuery | undefined): boolean => {
  if (query === undefined) return false
  if (typeof query === "string") return held.includes(query)
  return "any" in query ? query.any.some((part) => holds(held, part)) : query.all.every((part) => holds(held, part))
}

describe("a selection of chunks", () => {
  test("contains the chunks with the rarest words of the question, as many as there is room for", () => {
    fc.assert(
      fc.property(chunks, question, fc.integer({ min: 1, max: 20 }), (all, asked, room) => {
        const { best, next } = select(ask(asked), sampleOf(all), all.length, lexemes, room)
        const weightOf = (word: string) =>
          inverseDocumentFrequency(all.filter((held) => held.includes(word)).length, all.length)
        const scoreOf = (held: ReadonlyArray<string>) =>
          asked.reduce((sum, word) => sum + (held.includes(word) ? weightOf(word) : 0), 0)
        const selected = all.filter((held) => holds(held, best)).map(scoreOf)
        const others = all.filter((held) => !holds(held, best)).map(scoreOf)
        const nearly = all.filter((held) => !holds(held, best) && holds(held, next)).map(scoreOf)
        expect(selected.length).toBeLessThanOrEqual(room)
        const highest = Math.max(0, ...others)
        for (const score of selected) expect(score).toBeGreaterThan(highest)
        // With the next best chunks there would be more than there is room for.
        if (highest > 0) expect(selected.length + nearly.length).toBeGreaterThan(room)
        for (const score of nearly) expect(score).toBeCloseTo(highest, 5)
      }),
    )
  })

  test("reports for which words it contains every chunk, and how many chunks contain each word", () => {
    fc.assert(
      fc.property(chunks, question, fc.integer({ min: 1, max: 20 }), (all, asked, room) => {
        const { best, isExhaustive, chunkFrequency } = select(ask(asked), sampleOf(all), all.length, lexemes, room)
        for (const [place, word] of ask(asked).entries()) {
          const held = all.filter((words) => words.includes(asked[place] ?? ""))
          if (isExhaustive(word)) expect(held.filter((words) => !holds(words, best))).toEqual([])
          expect(chunkFrequency(word)).toBe(held.length)
        }
      }),
    )
  })

  test("estimates frequencies by a sample, and assumes a low one for a word that the sample does not contain", () => {
    const all = Array.from({ length: 100 }, (_, number) => (number % 4 === 0 ? ["oak", "elm"] : ["oak"]))
    const query = ask(["oak", "elm", "palm"])
    const { best, chunkFrequency } = select(query, sampleOf(all, 10_000), 10_000, lexemes, 2_500)
    expect(query.map(chunkFrequency)).toEqual([10_000, 2_500, 50])
    expect(holds(["palm"], best)).toBe(true)
    expect(holds(["elm", "oak"], best)).toBe(true)
    expect(holds(["oak"], best)).toBe(false)
  })

  test("says whether what matches next is so common that it need not be looked up", () => {
    const all = Array.from({ length: 100 }, (_, number) => ["oak", ...(number % 8 === 0 ? ["elm"] : [])])
    const isCommon = (asked: ReadonlyArray<string>) =>
      select(ask(asked), sampleOf(all, 10_000), 10_000, lexemes, 500).isNextCommon
    expect(isCommon(["oak"])).toBe(true)
    expect(isCommon(["elm", "oak"])).toBe(false)
  })

  test("has a short query and finds chunks even when many words of the question occur nowhere", () => {
    const many = Array.from({ length: 40 }, (_, number) => `word${number}`)
    const draw = random(7)
    const all = Array.from({ length: 400 }, () => many.filter(() => draw() < 0.3))
    const absent = Array.from({ length: 30 }, (_, number) => `absent${number}`)
    const asked = [...absent, ...many]
    const { best } = select(ask(asked), sampleOf(all), all.length, lexemesOf(asked), 20)
    const found = all.filter((held) => holds(held, best))
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThanOrEqual(20)
    expect(JSON.stringify(best).length).toBeLessThan(10_000)
  })
})

test("a sample is spread over all documents, in proportion to their sizes", () => {
  const documents = [3_000, 1, 0, 5_000, 12_000].map((count, number) => ({
    id: documentIdOf(number),
    revision: 1,
    chunks: count,
    isEmbedded: true,
  }))
  const places = placesToSample(documents)
  expect(places.length).toBeGreaterThanOrEqual(1_999)
  expect(places.length).toBeLessThanOrEqual(2_001)
  expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(places.length)
  for (const { id, chunks: count } of documents) {
    const own = places.filter(({ documentId }) => documentId === id)
    expect(Math.abs(own.length - count / 10)).toBeLessThanOrEqual(1)
    for (const { ordinal } of own) {
      expect(ordinal).toBeGreaterThanOrEqual(1)
      expect(ordinal).toBeLessThanOrEqual(count)
    }
  }
  const [one = documents[0]] = documents.slice(1)
  expect(placesToSample(one === undefined ? [] : [one]).map(({ ordinal }) => ordinal)).toEqual([1])
  expect(placesToSample([])).toEqual([])
})
