import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { readLexemes, termOf } from "../../../src/knowledge/segments/Lexemes.ts"
import { chunkOf } from "../../lib/Lexemes.ts"

test("the term of a lexeme is the one that a text in the same language has, and no text in another language", () => {
  const language = fc.constantFrom("english", "german", "simple", "hindi")
  const lexeme = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => !/[\0 ]/.test(text))
  fc.assert(
    fc.property(lexeme, language, language, (text, asked, stored) => {
      const found: Array<number> = []
      readLexemes(chunkOf(0, text).lexemes, stored, (term) => void found.push(term))
      expect(found.includes(termOf(text, asked))).toBe(asked === stored)
    }),
  )
})
