import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { locales } from "../../../src/language/Locales.ts"
import { readQuestion } from "../../../src/models/local/Question.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const read = (text: string) => readQuestion(bounded(text))

describe("the language of a question and its words are read from", () => {
  test.each([
    ["en", "photosynthesis", "What is photosynthesis?"],
    ["en", "roughly ducks europe", "Could you tell me roughly how many ducks there are in Europe?"],
    ["en", "price enterprise plan", "What is the price of the Enterprise plan?"],
    ["en", "formats uploaded", "Which formats can be uploaded?"],
    ["en", "make backup", "How do I make a backup?"],
    ["en", "s3 supported", "Is S3 supported?"],
    ["en", "plan storage", "Which plan has the most storage?"],
    ["de", "einwohner hamburg ungefähr", "Wie viele Einwohner hat Hamburg ungefähr?"],
    ["de", "sagen rechnung fällig", "Können Sie mir sagen, wann die Rechnung fällig ist?"],
    ["fr", "tour eiffel", "Où est la tour Eiffel ?"],
    ["es", "plan team", "cuanto cuesta el plan team"],
    ["ru", "родился пушкин", "В каком году родился Пушкин?"],
    ["tr", "normanlar geldi", "Normanlar ne zaman geldi?"],
    ["ar", "سكان وارسو", "كم عدد سكان وارسو؟"],
    ["zh", "华沙 人口", "华沙有多少人口？"],
    ["ja", "サーバー バックアップ いい", "サーバーのバックアップはどうすればいいですか？"],
    ["en", "refund students", "refund students"],
  ] as const)("%s “%s” %s", (language, words, text) => {
    const question = read(text)
    expect([question.language, question.words.join(" ")]).toEqual([language, words])
  })
})

test("it is known whether a question is only a few words, and which of them only say what is wanted", () => {
  expect([read("payment methods").isBare, read("Which methods?").isBare, read("Is it open?").isBare]).toEqual([
    true,
    false,
    false,
  ])
  expect([...read("What is the price of the Enterprise plan?").implied]).toEqual(["price"])
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
