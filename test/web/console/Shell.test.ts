import { describe, expect, test } from "bun:test"
import { everyPage, isWorthRepeating } from "../../../src/web/console/server/Api.ts"
import { addressOf } from "../../../src/web/console/server/Root.ts"
import { failureOf, nameOfField, toFailure, unreachable } from "../../../src/web/console/server/Failure.ts"
import { href, isComplete, placeOf } from "../../../src/web/console/Router.ts"

describe("the address of a screen", () => {
  test("leads back to the screen and its parameters", () => {
    const params = { chatbotId: "c1", sessionId: "s-2" }
    const address = href("conversation", params)
    expect(address).toBe("/console/conversations/c1/s-2")
    expect(placeOf(address)).toMatchObject({ screen: "conversation", params })
  })

  test("leaves out what is empty in its query", () => {
    expect(href("conversations", {}, { search: "refund", rating: "", from: undefined })).toBe(
      "/console/conversations?search=refund",
    )
  })

  test("is Home at the console's own address, and of nothing where there is no screen", () => {
    expect(placeOf("/console").screen).toBe("home")
    expect(placeOf("/console/").screen).toBe("home")
    expect(placeOf("/console/chatbots/").screen).toBe("chatbots")
    expect(placeOf("/console/nowhere").screen).toBeUndefined()
  })

  test("is complete with all of its parameters only", () => {
    expect(isComplete("settings", { chatbotId: "1" })).toBe(true)
    expect(isComplete("settings", {})).toBe(false)
  })
})

describe("a request", () => {
  test("has its parameters in its path, percent-encoded, and its query without what is absent", () => {
    const path = "/api/external/chatbot/:chatbotId/conversations/:sessionId"
    expect(addressOf(path, { chatbotId: "1", sessionId: "a/?b" }, { page: "2", status: undefined })).toBe(
      "/api/external/chatbot/1/conversations/a%2F%3Fb?page=2",
    )
  })

  test("is repeated when no answer came or the server asks to wait a moment, and never when it deletes", () => {
    const busy = failureOf(503, { code: "unavailable", detail: "Wait." }, "2")
    expect(isWorthRepeating("GET", unreachable())).toBe(true)
    expect(isWorthRepeating("POST", busy)).toBe(true)
    expect(isWorthRepeating("DELETE", busy)).toBe(false)
    expect(isWorthRepeating("GET", failureOf(429, { code: "rate_limited", detail: "Wait." }, "60"))).toBe(false)
    expect(isWorthRepeating("GET", failureOf(404, { code: "not_found", detail: "No." }))).toBe(false)
    expect(isWorthRepeating("POST", failureOf(500, { code: "internal", detail: "No." }))).toBe(false)
    expect(isWorthRepeating("POST", failureOf(502, undefined))).toBe(true)
    expect(isWorthRepeating("POST", failureOf(502, { code: "provider_failed", detail: "No." }))).toBe(false)
  })

  test("reads all pages of a list", async () => {
    const pages: Record<string, { items: ReadonlyArray<number>; next_cursor: string | null }> = {
      first: { items: [1, 2], next_cursor: "second" },
      second: { items: [3, 4], next_cursor: "third" },
      third: { items: [5], next_cursor: null },
    }
    const all = await everyPage(
      async (cursor = "first") => pages[cursor] ?? { items: [], next_cursor: null },
      ({ items }) => items,
    )
    expect(all).toEqual([1, 2, 3, 4, 5])
  })
})

describe("a failure", () => {
  test("says what the problem says, with the places that are wrong", () => {
    const failure = failureOf(400, {
      code: "invalid_request",
      detail: "The request is invalid.",
      request_id: "r1",
      errors: [{ path: "name", message: "Too long" }],
    })
    expect(failure.message).toBe("The request is invalid.")
    expect(failure.errors).toEqual([{ path: "name", message: "Too long" }])
    expect(failure.requestId).toBe("r1")
  })

  test("is a plain sentence when a proxy answered with something else", () => {
    expect(failureOf(502, undefined).message).toBe("The server cannot be reached at the moment.")
    expect(failureOf(413, "<html>").code).toBe("http_413")
  })

  test("of OpenAI's form is read, too", () => {
    expect(failureOf(404, { error: { message: "No such model.", code: "not_found" } }).message).toBe("No such model.")
  })

  test("of the page itself is told from a request that was given up", () => {
    expect(toFailure(new DOMException("x", "AbortError")).code).toBe("aborted")
    expect(toFailure(new TypeError("x is not a function")).code).toBe("unexpected")
  })
})

test("fields of a chatbot have names for people", () => {
  expect(nameOfField("settings.isRequestUserInfoEnabled")).toBe("Is request user info enabled")
  expect(nameOfField("settings.snippet.primaryColor")).toBe("Primary color")
  expect(nameOfField("voice_widget_config.text.startCall")).toBe("Start call")
})
