import { describe, expect, test } from "bun:test"
import { Failure, failureFrom, failureOf, kindOf } from "../../src/web/widget/model/Failure.ts"
import { keptState } from "../../src/web/widget/model/Host.ts"
import { randomSecret, randomUuid } from "../../src/web/shared/Random.ts"

describe("what a page has kept of a visitor", () => {
  const secret = "yLwDnJm3TzqV0k5bXhRr9A"

  test("is taken as it was kept", () => {
    const state = { secret, conversation: "c", draft: "d", unsent: { id: "i", text: "t" } }
    expect(keptState(state)).toEqual(state)
  })

  test.each(
    [undefined, null, 5, "text", [], {}, { secret: 7 }, { secret: "short" }, { secret: `${secret}!` }].map((value) => ({
      value,
    })),
  )("is nothing where it is %p", ({ value }) => {
    expect(keptState(value)).toBeUndefined()
  })

  test("loses what is of another kind", () => {
    expect(keptState({ secret, draft: {}, conversation: 1, unsent: { id: "i" }, more: true })).toEqual({ secret })
  })
})

describe("a failure", () => {
  test.each([
    ["budget_spent", 429, "spent"],
    ["chatbot_inactive", 409, "spent"],
    ["rate_limited", 429, "busy"],
    ["too_many_chats", 429, "busy"],
    ["unauthorized", 401, "gone"],
    ["not_found", 404, "missing"],
    ["invalid_request", 400, "refused"],
    ["too_large", 413, "refused"],
    ["internal_error", 500, "failed"],
    ["provider_failed", 502, "failed"],
  ] as const)("of the code %s and the status %i is of the kind %s", (code, status, kind) => {
    expect(kindOf(code, status)).toBe(kind)
  })

  test("of a response tells its code", async () => {
    const response = Response.json({ code: "rate_limited" }, { status: 429 })
    expect(await failureOf(response)).toMatchObject({ kind: "busy", code: "rate_limited" })
    expect(await failureOf(new Response("<html>", { status: 502 }))).toMatchObject({ kind: "failed", code: "" })
  })

  test("without a response says that the server was not reached", () => {
    expect(failureFrom(new TypeError("Failed to fetch")).kind).toBe("offline")
    expect(failureFrom(new Failure("spent")).kind).toBe("spent")
    expect(failureFrom(new RangeError("x")).kind).toBe("failed")
  })
})

describe("what a browser makes up", () => {
  test("is a UUID for a message, and 128 bits for a visitor", () => {
    expect(randomUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    expect(randomSecret()).toMatch(/^[\w-]{22}$/u)
    expect(new Set(Array.from({ length: 100 }, randomSecret)).size).toBe(100)
  })
})
