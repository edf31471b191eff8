import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { proposalOf } from "../../../src/web/console/screens/improve/KeepTest.tsx"
import { differing, wordsIn } from "../../../src/web/console/screens/improve/Words.ts"

const difference = (one: string, other: string) =>
  differing(wordsIn(one), wordsIn(other)).map((words) => words.map(({ text }) => text))

describe("the words in which two answers differ", () => {
  test("are those that one of them lacks, whatever its case and marks", () => {
    expect(difference("Refunds take five days.", "Refunds take THREE days!")).toEqual([["five"], ["THREE"]])
    expect(difference("It costs 4.50 crowns", "it COSTS 5.50 crowns, in cash")).toEqual([
      ["4.50"],
      ["5.50", "in", "cash"],
    ])
    expect(difference("退款需要五天", "退款需要三天")[0]).not.toEqual([])
    expect(difference("", "new")).toEqual([[], ["new"]])
  })

  test("leave the same words of both when they are taken away", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 }).map((words) => words.join(" "))
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [before, now] = [wordsIn(one), wordsIn(other)]
        const [gone, come] = differing(before, now)
        const rest = (words: typeof before, without: typeof before) =>
          words.filter((word) => !without.includes(word)).map((word) => word.text)
        expect(rest(before, gone)).toEqual(rest(now, come))
      }),
    )
  })

  test("are all of very long texts that have nothing in common", () => {
    const [before, now] = difference("one ".repeat(5_000), "two ".repeat(5_000))
    expect([before?.length, now?.length]).toEqual([5_000, 5_000])
  })
})

const quote = (content: string) => ({
  title: "Refunds",
  chunk: 1,
  section: undefined,
  content,
  similarity: undefined,
  documentId: "d1",
  url: undefined,
})

describe("the proposed expectation", () => {
  test("is the longest sentence of the quote that the answer repeats", () => {
    expect(
      proposalOf({ text: "Refunds take  three days. Bye.", quotes: [quote("Hello.\nRefunds take three days.")] }),
    ).toEqual({ find: "d1", kind: "words", say: "Refunds take three days." })
  })

  test("is for a model to judge where the answer has other words", () => {
    expect(proposalOf({ text: "Three days.", quotes: [quote("Refunds take three days.")] })).toEqual({
      find: "d1",
      kind: "judge",
      say: "Refunds take three days.",
    })
  })

  test("is empty where the answer has no source", () => {
    expect(proposalOf({ text: "I do not know.", quotes: [] })).toEqual({ find: "", kind: "judge", say: "" })
  })
})
