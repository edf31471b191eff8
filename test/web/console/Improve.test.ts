import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { proposalOf } from "../../../src/web/console/screens/improve/KeepTest.tsx"
import { diagnosisOf } from "../../../src/web/console/screens/improve/Mending.ts"
import { differing } from "../../../src/web/console/screens/improve/Beside.tsx"

const words = (text: string) => Array.from(text.matchAll(/[\p{L}\p{N}.]+/gu), ([segment]) => ({ segment }))
const textsOf = (all: ReadonlyArray<{ readonly segment: string }>) => all.map(({ segment }) => segment)

describe("the words in which two answers differ", () => {
  test("are those that one of them lacks, whatever its case", () => {
    const found = differing(words("it costs 4.50 crowns"), words("It COSTS 5.50 crowns in cash"))
    expect([textsOf(found?.before ?? []), textsOf(found?.now ?? [])]).toEqual([["4.50"], ["5.50", "in", "cash"]])
  })

  test("leave the same words of both when they are taken away", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 }).map((all) => words(all.join(" ")))
    fc.assert(
      fc.property(text, text, (one, other) => {
        const { before = [], now = [] } = differing(one, other) ?? {}
        const rest = (all: typeof one, without: typeof one) => textsOf(all.filter((word) => !without.includes(word)))
        expect(rest(one, before)).toEqual(rest(other, now))
      }),
    )
  })

  test("are not looked for in long texts that have nothing in common", () => {
    expect(differing(words("one ".repeat(5_000)), words("two ".repeat(5_000)))).toBeUndefined()
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
    ).toEqual({ find: "d1", say: "Refunds take three days." })
  })

  test("is the first sentence of the quote where the answer has other words", () => {
    expect(proposalOf({ text: "Three days.", quotes: [quote("Refunds take three days.")] })).toEqual({
      find: "d1",
      say: "Refunds take three days.",
    })
  })

  test("is empty where the answer has no source", () => {
    expect(proposalOf({ text: "I do not know.", quotes: [] })).toEqual({ find: "", say: "" })
  })
})

describe("the most probable cause of a bad answer", () => {
  const difference = (kind: "document_changed" | "prompt" | "server_version") => ({ kind, detail: kind })
  const source = { document_id: "d1", title: "Refunds", chunk: 1, page: null, quote: "q" }

  test("is the likeliest difference, and what mends that comes first", () => {
    expect(diagnosisOf({ differences: [difference("prompt")], sources: [] })).toMatchObject({
      cause: "prompt",
      ways: ["prompt", "document", "answer"],
    })
    expect(diagnosisOf({ differences: [difference("document_changed")], sources: [] }).ways[0]).toBe("document")
  })

  test("is that no document has the answer, where the reply rests on none and at most the server is another", () => {
    expect(diagnosisOf({ differences: [difference("server_version")], sources: [] }).ways[0]).toBe("answer")
    expect(diagnosisOf({ differences: [], sources: [source] }).ways[0]).toBe("document")
  })
})
