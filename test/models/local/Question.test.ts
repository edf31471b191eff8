import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { readQuestion } from "../../../src/models/local/Question.ts"
import { germanic } from "../../../src/models/local/questions/Germanic.ts"
import { otherFamilies } from "../../../src/models/local/questions/OtherFamilies.ts"
import type { QuestionWords } from "../../../src/models/local/questions/QuestionWords.ts"
import { romance } from "../../../src/models/local/questions/Romance.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

describe("the language, the kind and the words of a question are read from", () => {
  test.each([
    ["en", "definition", "photosynthesis", "What is photosynthesis?"],
    ["en", "number", "ducks europe", "Could you tell me roughly how many ducks there are in Europe?"],
    ["en", "number", "price enterprise plan", "What is the price of the Enterprise plan?"],
    ["en", "list", "formats uploaded", "Which formats can be uploaded?"],
    ["en", "how-to", "make backup", "How do I make a backup?"],
    ["en", "yes-no", "s3 supported", "Is S3 supported?"],
    ["en", "why", "sky blue", "Why is the sky blue?"],
    ["en", "other", "happens document cannot read", "Happens what when a document cannot be read?"],
    ["de", "number", "einwohner hamburg", "Wie viele Einwohner hat Hamburg ungefähr?"],
    ["de", "date", "rechnung fällig", "Können Sie mir sagen, wann die Rechnung fällig ist?"],
    ["fr", "place", "tour eiffel", "Où est la tour Eiffel ?"],
    ["es", "number", "plan team", "¿Cuánto cuesta el plan Team?"],
    ["es", "number", "plan team", "cuanto cuesta el plan team"],
    ["pt", "number", "prazo devolução", "Qual é o prazo de devolução?"],
    ["it", "how-to", "fare backup", "Come posso fare un backup?"],
    ["nl", "number", "kost team plan", "Hoeveel kost het Team-plan?"],
    ["pl", "list", "formaty obsługiwane", "Jakie formaty są obsługiwane?"],
    ["ru", "date", "родился пушкин", "В каком году родился Пушкин?"],
    ["uk", "yes-no", "повернути товар", "Чи можна повернути товар?"],
    ["tr", "date", "normanlar geldi", "Normanlar ne zaman geldi?"],
    ["ar", "number", "سكان وارسو", "كم عدد سكان وارسو؟"],
    ["hi", "number", "भारत राज्य", "भारत में कितने राज्य हैं?"],
    ["zh", "number", "华沙 人口", "华沙有多少人口？"],
    ["ja", "how-to", "サーバー バックアップ", "サーバーのバックアップはどうすればいいですか？"],
    ["ko", "place", "대한민국의 수도는", "대한민국의 수도는 어디인가요?"],
    ["sv", "other", "kostar abonnemanget", "Vad kostar abonnemanget?"],
    ["da", "number", "elever", "Hvor mange elever er der?"],
    [undefined, "other", "refund students", "refund students"],
  ] as const)("%s %s “%s”", (language, kind, words, text) => {
    const question = readQuestion(bounded(text))
    expect([question.language, question.kind, question.words.join(" ")]).toEqual([language, kind, words])
  })
})

test("a comparison names two things", () => {
  const compared = (text: string) => readQuestion(bounded(text)).compared
  expect(compared("What is the difference between the Basic plan and the Team plan?")).toEqual([
    ["basic", "plan"],
    ["team", "plan"],
  ])
  expect(compared("Was ist der Unterschied zwischen Basic und Team?")).toEqual([["basic"], ["team"]])
  expect(compared("Compare prices")).toEqual([])
})

test("of several sentences the last one that asks is the question, unless it is about what was said before", () => {
  const words = (text: string) => readQuestion(bounded(text)).words.join(" ")
  expect(words("Dear all, I am new. My wife loves tennis! Could you tell me where to reserve the court?")).toBe(
    "reserve court",
  )
  expect(words("I have version 2.5 of the mower. How do I return it?")).toContain("mower")
  expect(words("我有一台割草机。退货期限是多少天？")).toContain("退货")
})

test("names, numbers and codes are told apart from other words, except by the capital of the first word", () => {
  expect([...readQuestion(bounded("Ducks of Europe in 2019, and CHAT_LIMIT?")).names]).toEqual([
    "europe",
    "2019",
    "chat_limit",
  ])
})

test("any text is read, and only words of the text are returned", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom("what is ", "什么是", ""), (text, start) => {
      const { words } = readQuestion(bounded(start + text))
      const plain = (start + text).normalize("NFKC").toLowerCase()
      for (const word of words) expect(plain).toContain(word)
    }),
  )
})

test("no phrase is written with a capital letter, with accents in parts, or between other spaces than one", () => {
  for (const [, lists] of Object.entries<QuestionWords>({ ...germanic, ...romance, ...otherFamilies })) {
    const { nouns = {}, ...others } = lists
    const texts = [...Object.values(others), ...Object.values(nouns)]
    for (const text of texts) {
      expect(text).toBe(text.toLowerCase().normalize("NFKC"))
      for (const phrase of text.split(", ")) expect(phrase).toMatch(/^\S+( \S+)*$/)
    }
  }
})
