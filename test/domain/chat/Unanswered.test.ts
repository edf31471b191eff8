import { describe, expect, test } from "bun:test"
import { isUnanswered as isUnansweredBounded } from "../../../src/domain/chat/Unanswered.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const isUnanswered = ({ question, ...facts }: typeof answered) =>
  isUnansweredBounded({ ...facts, question: bounded(question) })

const answered = {
  question: "How long do refunds take?",
  output: "Five days.",
  finishReason: "stop",
  searches: 1,
  sources: 1,
  toolAnswers: 0,
}

describe("a reply is unanswered", () => {
  test.each([
    ["when it rests on nothing that its search found", { sources: 0 }],
    ["when it failed, whatever it rests on", { finishReason: "error" }],
    ["when its provider withheld it", { finishReason: "content-filter" }],
    ["when it is empty", { output: " \n" }],
    ["when it failed to greet back", { question: "Hello!", finishReason: "error", searches: 0 }],
  ])("%s", (_, difference) => {
    expect(isUnanswered({ ...answered, ...difference })).toBe(true)
  })
})

describe("a reply is an answer", () => {
  test.each([
    ["when it rests on a passage", {}],
    ["when nothing was searched for it", { searches: 0, sources: 0 }],
    ["when an HTTP tool has answered", { sources: 0, toolAnswers: 1 }],
    ["when it is small talk", { question: "Thank you very much!", sources: 0 }],
    ["when its user stopped it", { finishReason: "aborted", sources: 0 }],
    ["when it reached the longest length of an answer", { finishReason: "length" }],
  ])("%s", (_, difference) => {
    expect(isUnanswered({ ...answered, ...difference })).toBe(false)
  })
})
