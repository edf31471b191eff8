import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { locales } from "../../../src/languages/Locales.ts"
import { readQuestion } from "../../../src/models/local/Question.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const read = (text: string) => readQuestion(bounded(text))

describe("the language of a question, what it wants and its words are read from", () => {
  test.each([
    ["en", undefined, "photosynthesis", "What is photosynthesis?"],
    ["en", "amount", "roughly ducks europe", "Could you tell me roughly how many ducks there are in Europe?"],
    ["en", "amount", "price enterprise plan", "What is the price of the Enterprise plan?"],
    ["en", "several", "formats uploaded", "Which formats can be uploaded?"],
    ["en", "way", "make backup", "How do I make a backup?"],
    ["en", undefined, "s3 supported", "Is S3 supported?"],
    ["de", "amount", "einwohner hamburg ungefähr", "Wie viele Einwohner hat Hamburg ungefähr?"],
    ["de", "time", "sagen rechnung fällig", "Können Sie mir sagen, wann die Rechnung fällig ist?"],
    ["fr", "name", "tour eiffel", "Où est la tour Eiffel ?"],
    ["es", "amount", "cuesta plan team", "cuanto cuesta el plan team"],
    ["ru", "time", "родился пушкин", "В каком году родился Пушкин?"],
    ["tr", "time", "normanlar geldi", "Normanlar ne zaman geldi?"],
    ["ar", "amount", "سكان وارسو", "كم عدد سكان وارسو؟"],
    ["zh", "amount", "华沙 人口", "华沙有多少人口？"],
    ["ja", "way", "サーバー バックアップ いい", "サーバーのバックアップはどうすればいいですか？"],
    ["en", undefined, "refund students", "refund students"],
  ] as const)("%s %s “%s”", (language, wanted, words, text) => {
    const question = read(text)
    expect<ReadonlyArray<unknown>>([question.language, question.wanted, question.words.join(" ")]).toEqual([
      language,
      wanted,
      words,
    ])
  })
})

test("it is known whether a question decides, selects, denies or compares", () => {
  const traits = (text: string) => {
    const { compares, denies, isBare, isDecision, selects } = read(text)
    return Object.entries({ compares, denies, isBare, isDecision, selects }).flatMap(([name, is]) => (is ? [name] : []))
  }
  expect(traits("Is the store open on Mondays?")).toEqual(["isDecision"])
  expect(traits("Which store is open on Mondays?")).toEqual(["selects"])
  expect(traits("Which store is not open on Mondays?")).toEqual(["denies", "selects"])
  expect(traits("Which plans cost less than 100 EUR?")).toEqual(["compares", "selects"])
  expect(traits("payment methods")).toEqual(["isBare"])
})

test("of several sentences the last one that asks is the question, unless it is about what was said before", () => {
  const words = (text: string) => read(text).words.join(" ")
  expect(words("Dear all, I am new. My wife loves tennis! Where do I reserve the court?")).toBe("reserve court")
  expect(words("I have version 2.5 of the mower. How do I return it?")).toContain("mower")
  expect(words("我有一台割草机。退货期限是多少天？")).toContain("退货")
})

test("names, numbers and codes are told apart from other words, except by the capital of the first word", () => {
  expect([...read("Ducks of Europe in 2019, and CHAT_LIMIT?").names]).toEqual(["europe", "2019", "chat_limit"])
})

test("any text is read, and only words of the text are returned", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom("what is ", "什么是", ""), (text, start) => {
      const letters = (from: string) =>
        from
          .normalize("NFKC")
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "")
      const plain = letters(bounded(start + text))
      for (const word of read(start + text).words) expect(plain).toContain(letters(word))
    }),
  )
})

test("no phrase is written with a capital letter, or between other spaces than one", () => {
  for (const { asking } of Object.values(locales)) {
    for (const list of Object.values(asking)) {
      expect(list).toBe(list.toLowerCase().normalize("NFC"))
      for (const phrase of list.split(", ")) expect(phrase).toMatch(/^\S+( \S+)*$/)
    }
  }
})
