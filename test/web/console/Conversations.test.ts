import { describe, expect, test } from "bun:test"
import { addressOf } from "../../../src/web/console/server/Root.ts"
import { countFilters, filtersOf, requestOf } from "../../../src/web/console/screens/conversations/Filters.ts"

const filters = (query: string) => filtersOf(new URLSearchParams(query))

describe("the filters of conversations", () => {
  test("are those of the address, without what they cannot be", () => {
    expect(filters("show=down&search=tide&chatbot=b1&platform=web&from=2026-11-01&to=2026-11-20")).toEqual({
      kind: "down",
      search: "tide",
      chatbot: "b1",
      platform: "web",
      from: "2026-11-01",
      to: "2026-11-20",
    })
    expect(filters("show=strange&platform=No%20Platform&from=2026-02-30&to=yesterday")).toEqual(filters(""))
    expect([filters(""), filters("chatbot=b1&to=2026-11-20&search=x")].map(countFilters)).toEqual([0, 2])
  })

  test("ask the API for nothing that is not set", () => {
    const asked = (query: string) => addressOf("/", {}, requestOf(filters(query)))
    expect(asked("")).toBe("/")
    expect(asked("show=unanswered&search=%20")).toBe("/?unanswered=true")
    expect(asked("show=up&search=%20tide&chatbot=b1&platform=web")).toBe(
      "/?search=tide&chatbot_id=b1&platform=web&rating=up",
    )
  })

  test("include the whole of the last day, also at the end of a month", () => {
    const { from = "", to = "" } = requestOf(filters("from=2026-11-30&to=2026-11-30"))
    const day = new Date(2026, 10, 30)
    expect(from).toBe(day.toISOString())
    expect(to).toBe(new Date(2026, 11, 1).toISOString())
  })
})
