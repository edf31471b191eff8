import { describe, expect, test } from "bun:test"
import { requestOf } from "../../../src/web/console/screens/conversations/SavedFilters.tsx"
import { addressOf } from "../../../src/web/console/server/Root.ts"

const request = (query: string) => requestOf("conversations", new URLSearchParams(query))

describe("the filters of conversations", () => {
  test("ask the API for nothing that is not set", () => {
    const asked = (query: string) => addressOf("/", {}, request(query))
    expect(asked("")).toBe("/")
    expect(asked("show=strange&from=2026-02-30&to=yesterday")).toBe("/")
    expect(asked("show=unanswered&search=%20")).toBe("/?unanswered=true")
    expect(asked("show=closed")).toBe("/?state=closed")
    expect(asked("show=unread&rating=strange")).toBe("/")
    expect(asked("rating=up&search=%20tide&chatbot=b1&platform=web")).toBe(
      "/?search=tide&chatbot_id=b1&platform=web&rating=up",
    )
  })

  test("of the inbox ask for those who wait, unless the address has another folder", () => {
    const asked = (query: string) => addressOf("/", {}, requestOf("inbox", new URLSearchParams(query)))
    expect(asked("")).toBe("/?owner=people&waiting=true&assignee=none")
    expect(asked("show=mine&tag=refund")).toBe("/?owner=people&state=open&assignee=me&tag=refund")
    expect(asked("show=all")).toBe("/")
    expect(asked("show=closed")).toBe(asked(""))
  })

  test("include the whole of the last day, also at the end of a month", () => {
    const { from = "", to = "" } = request("from=2026-11-30&to=2026-11-30")
    const day = new Date(2026, 10, 30)
    expect(from).toBe(day.toISOString())
    expect(to).toBe(new Date(2026, 11, 1).toISOString())
  })
})
