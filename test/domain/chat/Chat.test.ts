import { describe, expect, test } from "bun:test"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { ChatMessage, ChatMessages, CHAT_INPUT_MAX_LENGTH } from "../../../src/domain/chat/Chat.ts"

const decode = Schema.decodeUnknownResult(ChatMessages)
const decodeOne = Schema.decodeUnknownSync(ChatMessage)
const problem = (messages: unknown) => {
  const result = decode(messages)
  return Result.isFailure(result) ? result.failure.message : "none"
}

describe("a message", () => {
  test("has content, or the text of its parts", () => {
    expect(decodeOne({ role: "user", content: "Hi" })).toEqual({ role: "user", content: "Hi" })
    const parts = [
      { type: "step-start" },
      { type: "text", text: "Hi " },
      { type: "tool-x", text: "no" },
      { type: "text", text: "you" },
    ]
    expect(decodeOne({ role: "user", parts })).toEqual({ role: "user", content: "Hi you" })
  })

  test("with the role bot is the assistant's, keeps its id, and may have unknown fields", () => {
    expect(decodeOne({ role: "bot", content: "Hi", id: "m1", createdAt: 5 })).toEqual({
      id: "m1",
      role: "assistant",
      content: "Hi",
    })
  })

  test.each([
    [{ role: "system", content: "x" }],
    [{ role: "tool", content: "x" }],
    [{ role: "user" }],
    [{ content: "x" }],
    [{ role: "user", content: 5 }],
    [{ role: "user", content: "a\u0000" }],
    [{ role: "user", parts: [{ type: "text", text: "\uD800" }] }],
  ])("is refused: %j", (message) => {
    expect(problem([message])).not.toBe("none")
  })
})

describe("the messages of a request", () => {
  const user = (content: string) => ({ role: "user", content })
  test("end with a message of the user, neither empty nor too long", () => {
    expect(problem([user("a"), { role: "bot", content: "" }, user("x".repeat(CHAT_INPUT_MAX_LENGTH))])).toBe("none")
    expect(problem([user("a"), { role: "assistant", content: "b" }])).toContain("[1]")
    expect(problem([user("")])).toContain("32000")
    expect(problem([user("x".repeat(CHAT_INPUT_MAX_LENGTH + 1))])).toContain("32000")
  })

  test("are 1 to 1,000 in number", () => {
    expect(problem([])).not.toBe("none")
    expect(problem(Array.from({ length: 1_000 }, () => user("a")))).toBe("none")
    expect(problem(Array.from({ length: 1_001 }, () => user("a")))).not.toBe("none")
  })

  test("survive a round trip", () => {
    const message = fc.record({
      role: fc.constantFrom("user", "assistant", "bot"),
      content: fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\u0000")),
    })
    const last = fc.record({ role: fc.constant("user"), content: fc.constant("Well?") })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), last, (before, final) => {
        const decoded = Schema.decodeUnknownSync(ChatMessages)([...before, final])
        const encoded = Schema.encodeSync(ChatMessages)(decoded)
        expect(Schema.decodeUnknownSync(ChatMessages)(encoded)).toEqual(decoded)
      }),
    )
  })
})
