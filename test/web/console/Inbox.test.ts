import { describe, expect, test } from "bun:test"
import { questionBefore, timelineOf, wordsOf } from "../../../src/web/console/screens/conversations/Timeline.tsx"
import { matching } from "../../../src/web/console/screens/inbox/Canned.tsx"
import { draftText } from "../../../src/web/console/screens/inbox/Composer.tsx"

const at = (second: number) => `2026-11-27T10:00:${String(second).padStart(2, "0")}.000+00:00`

const message = (id: string, second: number, sender_type: "user" | "bot" | "agent" = "user", content = id) => ({
  id,
  session_id: "s",
  sender_type,
  content,
  attachments: null,
  created_at: at(second),
  metadata: {},
  migrated_data: false,
  model: null,
  provider: null,
  session_token: null,
  tokens_used: 0,
  tool_calls: null,
  tool_results: null,
})

const ada = { id: "p", name: "Ada" }
const event = (id: string, second: number, more: object = {}) => ({
  id,
  type: "handover" as const,
  person: ada,
  detail: {},
  created_at: at(second),
  ...more,
})

describe("the timeline of a conversation", () => {
  const messages = [message("one", 1), message("two", 5, "bot")]
  const idsOf = (isComplete: boolean) =>
    timelineOf(messages, [event("taken", 3), event("returned", 9)], isComplete).map(({ id }) => id)

  test("has what happened between its messages", () => {
    expect(idsOf(true)).toEqual(["one", "taken", "two", "returned"])
  })

  test("ends with the last message that is known while there are more", () => {
    expect(idsOf(false)).toEqual(["one", "taken", "two"])
  })

  test("knows the question that an answer answers", () => {
    const entries = [message("q", 1, "user", "Why?"), event("taken", 2), message("b", 3, "bot")]
    expect(questionBefore(entries)).toBe("Why?")
    expect(questionBefore([])).toBe("")
  })

  test("says who did what", () => {
    expect(wordsOf(event("e", 1))).toBe("Ada took over")
    expect(wordsOf(event("e", 1, { person: null, detail: { reason: "visitor" } }))).toBe(
      "The visitor asked for a person",
    )
    expect(wordsOf(event("e", 1, { type: "assigned", detail: { assignee: { id: "b", name: "Bo" } } }))).toBe(
      "Assigned to Bo by Ada",
    )
    expect(wordsOf(event("e", 1, { type: "assigned", detail: { assignee: ada } }))).toBe("Ada took over")
    expect(wordsOf(event("e", 1, { type: "returned", detail: { reason: "by_hand" } }))).toBe(
      "Given back to the chatbot by Ada",
    )
  })
})

test("canned answers are found by the beginning of their shortcut, and nowhere but at the beginning", () => {
  const all = ["Hours", "hotline", "refund"].map((shortcut) => ({
    id: shortcut,
    shortcut,
    content: shortcut,
    created_at: at(0),
    updated_at: at(0),
  }))
  const found = (text: string) => matching(all, text).map(({ shortcut }) => shortcut)
  expect(found("/h")).toEqual(["Hours", "hotline"])
  expect(found("/REF")).toEqual(["refund"])
  expect(found("/")).toHaveLength(3)
  expect(found("see /h")).toEqual([])
  expect(found("/h now")).toEqual([])
})

test("a draft is without the places of its sources, and with everything else in brackets", () => {
  const source = { document_id: "d1", title: "Refunds", chunk: 1, page: null, quote: "q" }
  const textOf = (output: string) => draftText({ output, sources: [source] })
  expect(textOf("Within three days. (Refunds)\n\nBy card. (Refunds › Ways)")).toBe("Within three days.\n\nBy card.")
  expect(textOf("- In cash\n- By card\n(Refunds)")).toBe("- In cash\n- By card")
  expect(textOf("Ask for (Refunds) at the desk (at noon)")).toBe("Ask for (Refunds) at the desk (at noon)")
})
