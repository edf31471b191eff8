import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { WordTable } from "../../../src/language/words/WordTable.ts"

test("a table of words returns the value of each word of a text, in order, and makes it once", () => {
  const word = fc.oneof(fc.string({ maxLength: 3 }), fc.string({ unit: "binary" }), fc.constantFrom("a", "aa", "aaa"))
  fc.assert(
    fc.property(fc.array(fc.array(word, { maxLength: 300 }), { maxLength: 8 }), (texts) => {
      const table = new WordTable<{ readonly word: string }>()
      const learned: Array<string> = []
      for (const text of texts) {
        const spaced = text.join(" ")
        const found = table.read(spaced, (word) => {
          learned.push(word)
          return { word }
        })
        expect(found.map(({ word }) => word)).toEqual(spaced.split(" "))
      }
      expect(learned).toEqual(Array.from(new Set(texts.flatMap((text) => text.join(" ").split(" ")))))
      expect(table.characters).toBe(learned.join("").length)
    }),
  )
})

test("words of one hash, of which there are some among so many, stay apart", () => {
  const words = Array.from({ length: 250_000 }, (_, number) => (number * 7_919).toString(36).padStart(7, "0"))
  const found = new WordTable<string>().read(words.join(" "), (word) => word)
  expect(found.findIndex((word, index) => word !== words[index])).toBe(-1)
})
