import { describe, expect, test } from "bun:test"
import { LexicalIndex } from "../../../src/knowledge/search/LexicalIndex.ts"
import { UNKNOWN_SHARE } from "../../../src/language/words/Commonness.ts"
import { chunkIdOf, chunkOf, queryOf, segmentOf } from "../../lib/Lexemes.ts"

/** The numbers of the passages that a question finds. All words are unknown to texts in general. */
const found = (passages: ReadonlyArray<string>, question: string, commonness = UNKNOWN_SHARE) => {
  const index = new LexicalIndex([segmentOf(passages.map((text, number) => chunkOf(number, text)))])
  return index.search(queryOf(question.split(" "), commonness), 10)
}
const isFound = (passage: string, question: string, commonness?: number) =>
  found([passage], question, commonness).length > 0

describe("a word that no passage holds", () => {
  test.each([
    ["a letter is missing", "museum", "musem"],
    ["a letter is doubled", "museum", "musseum"],
    ["a letter is wrong", "museum", "musaum"],
    ["two letters are swapped", "museum", "muesum"],
    ["the first two letters are swapped", "museum", "umseum"],
    ["the last letter is missing", "harbour", "harbou"],
    ["the stem is the beginning of the word without the error", "univers", "univresity"],
    ["a Cyrillic letter is missing", "музей", "музй"],
    ["a name is written with one letter less", "kesler", "kessler"],
  ])("is found where %s", (_what, passage, question) => {
    expect(isFound(passage, question)).toBe(true)
  })

  test.each([
    ["its first letter differs", "merlin", "berlin"],
    ["it is short and a letter differs", "iraq", "iran"],
    ["it is short and its end differs", "plane", "plan"],
    ["it has three letters", "cat", "cta"],
    ["two letters differ", "museum", "mosaum"],
    ["it is only longer than one that is there", "plan", "planet"],
    ["it is a number", "20245", "20244"],
  ])("is not found where %s", (_what, passage, question) => {
    expect(isFound(passage, question)).toBe(false)
  })

  test("is not corrected when texts in general know it", () => {
    expect([isFound("horse", "hores"), isFound("horse", "hores", 0.001)]).toEqual([true, false])
  })

  test("is replaced by the similar word that most passages hold", () => {
    const passages = ["marten", "martin", "martin elm"]
    expect(found(passages, "martn").map(({ chunkId }) => chunkId)).toEqual([chunkIdOf(1), chunkIdOf(2)])
  })

  test("is not corrected after so many others that a search would take long", () => {
    const long = Array.from({ length: 10 }, (_, number) => `${"zyx".repeat(3)}${String.fromCharCode(97 + number)}`)
    expect(isFound("museum", `muesum ${long.join(" ")}`)).toBe(true)
    expect(isFound("museum", `${long.join(" ")} muesum`)).toBe(false)
  })

  test("counts less than one that is there, in score and similarity", () => {
    const passages = ["museum elm", "museum oak", "yew fir", "pine ash"]
    const [exact] = found(passages, "museum elm")
    const [similar] = found(passages, "muesum elm")
    expect(similar?.chunkId).toBe(chunkIdOf(0))
    expect(similar?.score).toBeLessThan(exact?.score ?? 0)
    expect(similar?.similarity).toBeLessThan(exact?.similarity ?? 0)
    expect(similar?.similarity).toBeGreaterThan(found(passages, "zzzzzz elm")[0]?.similarity ?? 1)
  })
})

test("a word that a passage holds is never corrected", () => {
  expect(found(["martin", "marten"], "marten").map(({ chunkId }) => chunkId)).toEqual([chunkIdOf(1)])
})
