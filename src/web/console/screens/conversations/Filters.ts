import { isDay } from "../../charts/Days.ts"

/*
 * Filters of conversations, as the address of the screen has them and as the API is asked.
 */

/** Kind of conversations to show. */
export type Kind = "all" | "open" | "unread" | "unanswered" | "closed"

export const kinds: ReadonlyArray<{ readonly value: Kind; readonly label: string }> = [
  { value: "all", label: "All" },
  { value: "open", label: "Open" },
  { value: "unread", label: "Unread" },
  { value: "unanswered", label: "Unanswered" },
  { value: "closed", label: "Closed" },
]

/** The kind of conversations that an address names. */
export const kindIn = (query: URLSearchParams): Kind =>
  kinds.find(({ value }) => value === query.get("show"))?.value ?? "all"

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
