import { describe, expect, test } from "bun:test"
import { importWords } from "../../../src/web/console/screens/sources/Import.tsx"
import { answerOf, findWords, sayWords } from "../../../src/web/console/screens/tests/ResultWords.ts"
import { countsText } from "../../../src/web/console/screens/tests/TestData.ts"
import { draftOf, inputOf, turnsIn } from "../../../src/web/console/screens/tests/TestForm.ts"

const documents = [
  { id: "d1", name: "refunds.md" },
  { id: "d2", name: "ferry.md" },
]
const at = "2026-11-27T02:00:00.000Z"
const stored = {
  id: "t1",
  chatbot_id: "b1",
  question: "And for cards?",
  history: [
    { role: "user", content: "How long do refunds take?\nI paid in cash." },
    { role: "assistant", content: "Five days." },
  ],
  expectations: {
    find: [
      { document_id: "d1", contains: "cards", within: 2 },
      { document_id: "gone", title: "Old.pdf" },
    ],
    say: [
      { kind: "words", value: "ten days" },
      { kind: "words", not: true, value: "five days" },
      { kind: "pattern", value: "1\\d days" },
      { kind: "judge", not: true, value: "It is rude." },
    ],
    refusal: "may",
  },
  tags: ["refunds", "cards"],
  message_id: null,
  last_result: null,
  created_at: at,
  updated_at: at,
} as const

describe("the form of a test", () => {
  test("gives back what was stored, where nothing is changed", () => {
    const { expectations, history, question, tags } = stored
    expect(inputOf(draftOf(stored, documents), documents)).toEqual({
      expectations: { ...expectations, find: [...expectations.find], say: [...expectations.say] },
      history: [...history],
      question,
      tags: [...tags],
    })
  })

  test("names a document by its id where the chatbot has it, and by its title otherwise", () => {
    const draft = draftOf(stored, documents)
    const [first] = draft.find
    if (first === undefined) throw new Error("There is no expectation.")
    const find = ["ferry.md", "Unknown.pdf", ""].map((document) => ({ ...first, document }))
    expect(inputOf({ ...draft, find }, documents).expectations.find).toEqual([
      { document_id: "d2", title: "ferry.md", contains: "cards", within: 2 },
      { title: "Unknown.pdf", contains: "cards", within: 2 },
      { contains: "cards", within: 2 },
    ])
  })

  test("expects nothing where nothing is written", () => {
    const draft = { ...draftOf(undefined, documents), question: " How? ", tags: "a， b、a,," }
    expect(inputOf(draft, documents)).toEqual({ question: "How?", history: [], expectations: {}, tags: ["a", "b"] })
  })

  test("reads a conversation by who says each line", () => {
    expect(turnsIn("Hi\nUSER: How long?\n\nchatbot: Five days.\nOr six.\nUser:")).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "How long?" },
      { role: "assistant", content: "Five days.\nOr six." },
    ])
  })
})

describe("a result", () => {
  test("says of each expectation whether it is met", () => {
    const find = { expected: { title: "Refunds", contains: "five days", within: 1 }, similarity: 0.61 }
    expect(findWords({ ...find, passed: false, rank: 2 })).toBe(
      "“Refunds” with “five days” is found at rank 2 (61% match) – expected within rank 1",
    )
    expect(findWords({ expected: { contains: "five" }, passed: false, rank: null, similarity: null })).toBe(
      "A passage with “five” is not found",
    )
    const words = { kind: "words", value: "ten days" } as const
    expect(sayWords({ expected: words, passed: true })).toBe("The answer says “ten days”.")
    expect(sayWords({ expected: { ...words, not: true }, passed: true })).toBe("The answer does not say “ten days”.")
    expect(sayWords({ expected: { ...words, not: true }, passed: false })).toBe("The answer says “ten days”.")
    expect(sayWords({ expected: { kind: "judge", value: "It is polite." }, passed: false })).toBe(
      "“It is polite.” is not true of the answer.",
    )
  })

  test("shows the answer that has failed, of several", () => {
    const answer = { text: "", refused: false, say: [], model: "m" }
    expect(
      answerOf([
        { ...answer, passed: true },
        { ...answer, passed: false, text: "no" },
      ])?.text,
    ).toBe("no")
    expect(answerOf([])).toBeUndefined()
  })

  test("counts what got worse first, and nothing that is zero", () => {
    const none = { total: 0, done: 0, untouched: 0, passed: 0, failed: 0, errors: 0, better: 0, worse: 0, different: 0 }
    expect(countsText({ counts: { ...none, passed: 95, failed: 3, worse: 2 } })).toBe("2 worse, 3 failed, 95 passed")
    expect(countsText({ counts: none })).toBe("No tests")
  })
})

test("an import names what it refused", () => {
  const refused = [{ row: 3, reason: "The question is missing." }]
  expect(importWords({ added: 1, updated: 0, unchanged: 0, refused })).toEqual({
    summary: "1 added, 0 updated, 0 unchanged, 1 refused.",
    problems: ["Row 3: The question is missing."],
  })
})
