import { describe, expect, test } from "bun:test"
import { isUnanswered, type ReplyFacts } from "../../../src/domain/chat/Unanswered.ts"

const answered: ReplyFacts = {
  output: "Five days.",
  finishReason: "stop",
  saysNoAnswer: false,
  searchedBy: "model",
  passages: 3,
  sources: 1,
  toolAnswers: 0,
}

describe("a reply is unanswered", () => {
  test.each([
    ["when its model says so, whatever it rests on", { saysNoAnswer: true }],
    ["when it rests on nothing that its model searched for", { sources: 0 }],
    ["when the server found nothing", { searchedBy: "server", sources: 0, passages: 0 }],
    ["when it failed, whatever it rests on", { finishReason: "error" }],
    ["when its provider withheld it", { finishReason: "content-filter" }],
    ["when it is empty", { output: " \n" }],
  ] as const)("%s", (_, difference) => {
    expect(isUnanswered({ ...answered, ...difference })).toBe(true)
  })
})

describe("a reply is an answer", () => {
  test.each([
    ["when it rests on a passage", {}],
    ["when nothing was searched for it", { searchedBy: undefined, sources: 0 }],
    ["when an HTTP tool has answered", { sources: 0, toolAnswers: 1 }],
    ["when the server found passages that its model has no need of", { searchedBy: "server", sources: 0 }],
    ["when its user stopped it", { finishReason: "aborted", sources: 0 }],
    ["when it reached the longest length of an answer", { finishReason: "length" }],
  ] as const)("%s", (_, difference) => {
    expect(isUnanswered({ ...answered, ...difference })).toBe(false)
  })
})
