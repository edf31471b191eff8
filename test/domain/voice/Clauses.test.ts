import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { type Clause, Clauses, spokenIn } from "../../../src/domain/voice/Clauses.ts"

/** Splits a text that arrives in pieces of these lengths, over and over. */
const split = (text: string, lengths: ReadonlyArray<number> = [1]): ReadonlyArray<Clause> => {
  const clauses = new Clauses()
  const found: Array<Clause> = []
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    found.push(...clauses.push(text.slice(at, at + length)))
    at += length
  }
  return [...found, ...clauses.end()]
}

const textsOf = (text: string, lengths?: ReadonlyArray<number>) => split(text, lengths).map((clause) => clause.text)

describe("a reply is spoken", () => {
  test.each([
    ["Yes, we do. Dr. Smith sees you at 9.30 a.m. today!", ["Yes, we do.", "Dr. Smith sees you at 9.30 a.m. today!"]],
    ["Am 18. Mai um 9 Uhr. Bis dann.", ["Am 18. Mai um 9 Uhr.", "Bis dann."]],
    ["你好。我们九点开门！请问？", ["你好。", "我们九点开门！", "请问？"]],
    ["مرحبا بكم. هل لديكم سؤال؟ شكرا", ["مرحبا بكم.", "هل لديكم سؤال؟", "شكرا"]],
    ["नमस्ते। हम खुले हैं।", ["नमस्ते।", "हम खुले हैं।"]],
    [
      "The **ferry** from [Pier 2](https://example.com/a?b=c) _leaves_ `now` [1]. See https://x.y/?a=b, please. 🎉👍🏽 Bye",
      ["The ferry from Pier 2 leaves now .", "See , please.", "Bye"],
    ],
    [
      "## Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- First\n* Second\n\n1. One\n\n> Said\n\n---\n\n```js\nlet x = 1. Two\n```\nDone",
      ["Prices", "First", "Second", "1. One", "Said", "Done"],
    ],
    ["<b>Bold</b> and a snake_case, 3 < 4.", ["Bold and a snake_case,", "3 < 4."]],
    ["```\nnever closed. Code", []],
    ["🙂 … — !", []],
    ["", []],
  ])("%j", (text, clauses) => {
    expect(textsOf(text)).toEqual(clauses)
    expect(textsOf(text, [1_000])).toEqual(clauses)
  })

  test("from its first comma on, so that speech begins early, and later in longer clauses", () => {
    const part = "and this goes on for a while, "
    const [first = "", second = ""] = textsOf(`Certainly, with pleasure indeed, ${part.repeat(6)}`)
    expect(first).toBe("Certainly, with pleasure indeed,")
    expect(second.length).toBeGreaterThan(50)
  })

  test.each([
    "word ".repeat(6_000),
    "a".repeat(30_000),
    "ร้านของเราเปิดเก้าโมงเช้าทุกวัน".repeat(1_000),
    "漢字".repeat(15_000),
    "👨‍👩‍👧‍👦x".repeat(2_500),
  ])("in clauses of sensible lengths, also without any punctuation (%#)", (text) => {
    const clauses = split(text, [7, 1, 30])
    expect(Math.max(...clauses.map((clause) => clause.text.length))).toBeWithin(15, 241)
    expect(clauses.every((clause) => clause.text.isWellFormed())).toBe(true)
    expect(clauses.map((clause) => clause.text.replaceAll(" ", "")).join("")).toBe(
      spokenIn(text).text.replaceAll(" ", ""),
    )
  })

  test("without the rest of an address that is longer than a clause", () => {
    const [first, ...others] = textsOf(`https://example.com/${"a".repeat(900)} is the page.`, [5])
    expect([first, others]).toEqual(["is the page.", []])
  })
})

const pieces = [
  "Hello",
  "world",
  ". ",
  "! ",
  "? ",
  "\n",
  "\n\n",
  ", ",
  "**",
  "_",
  "`",
  "```\n",
  "[a](b)",
  "| x |\n",
  "- ",
  "1. ",
  "https://a.b/?c=d",
  "🙂",
  "👩‍👧",
  "e\u0301",
  "你好",
  "。",
  "，",
  "สวัสดี",
  "مرحبا",
  "؟ ",
  "\ud83d",
  " ",
  "a".repeat(90),
  "1.5",
  "Dr. ",
]

describe("however the text of a reply arrives", () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(""))
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 })

  test("the clauses follow one another, say something, and end within the reply", () => {
    fc.assert(
      fc.property(texts, lengths, (text, sizes) => {
        let last = 0
        for (const { end, text: spoken } of split(text, sizes)) {
          expect(end).toBeGreaterThan(last)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(spoken).toMatch(/[\p{L}\p{N}]/u)
          last = end
        }
      }),
    )
  })

  test("no pair of surrogates is cut", () => {
    fc.assert(
      fc.property(texts, lengths, (text, sizes) => {
        const wellFormed = text.toWellFormed()
        for (const { text: spoken } of split(wellFormed, sizes)) expect(spoken.isWellFormed()).toBe(true)
      }),
    )
  })

  test("what is spoken stands in the reply, in the same order", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { at, text: spoken } = spokenIn(text)
        for (const [index, unit] of Array.from({ length: spoken.length }, (_, place) =>
          spoken.charAt(place),
        ).entries()) {
          const from = text.charAt(at[index] ?? -1)
          expect(unit === " " ? /\s/u.test(from) : from === unit).toBe(true)
          expect(index === 0 || (at[index] ?? 0) > (at[index - 1] ?? 0)).toBe(true)
        }
      }),
    )
  })
})
