import { isDay } from "../../charts/Days.ts"
import { keysOf } from "../../server/Unknown.ts"

/*
 * Filters of conversations, as the address of the screen has them and as the API is asked.
 */

/** Kinds of conversations to show. */
export const kinds = { all: "All", open: "Open", unread: "Unread", unanswered: "Unanswered", closed: "Closed" }

/** The kind of conversations that an address names. */
export const kindIn = (query: URLSearchParams) => keysOf(kinds).find((kind) => kind === query.get("show")) ?? "all"

/** The filters behind the button. The days are those of the reader's time zone, both included. */
export const moreFilters = ["chatbot", "rating", "platform", "from", "to"] as const

/** The midnight at which a day begins in the reader's time zone; of the next day with 1 for `later`. */
const midnight = (day: string | null, later = 0): string | undefined => {
  if (day === null || !isDay(day)) return undefined
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

/** The query of the API for the conversations that an address names. */
export const requestOf = (query: URLSearchParams) => {
  const kind = kindIn(query)
  return {
    search: query.get("search")?.trim(),
    chatbot_id: query.get("chatbot") ?? undefined,
    platform: query.get("platform") ?? undefined,
    rating: (["up", "down"] as const).find((rating) => rating === query.get("rating")),
    state: kind === "open" || kind === "closed" ? kind : undefined,
    unanswered: kind === "unanswered" ? ("true" as const) : undefined,
    from: midnight(query.get("from")),
    to: midnight(query.get("to"), 1),
  }
}
