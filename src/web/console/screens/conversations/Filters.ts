import { isDay } from "../../charts/Days.ts"

/*
 * Filters of conversations, as the address of the screen has them and as the API is asked.
 */

/** Kind of conversations to show. */
export type Kind = "all" | "down" | "up" | "unanswered"

export const kinds: ReadonlyArray<{ readonly value: Kind; readonly label: string }> = [
  { value: "all", label: "All" },
  { value: "down", label: "Rated down" },
  { value: "unanswered", label: "Without an answer" },
  { value: "up", label: "Rated up" },
]

export interface Filters {
  readonly kind: Kind
  readonly search: string
  readonly chatbot: string
  readonly platform: string
  /** Days in the reader's time zone, both included; empty for none. */
  readonly from: string
  readonly to: string
}

const dayIn = (text: string | null): string => (text !== null && isDay(text) ? text : "")

/** The filters in the query of an address. What they cannot be is left out. */
export const filtersOf = (query: URLSearchParams): Filters => {
  const platform = query.get("platform") ?? ""
  return {
    kind: kinds.find(({ value }) => value === query.get("show"))?.value ?? "all",
    search: (query.get("search") ?? "").slice(0, 200),
    chatbot: query.get("chatbot") ?? "",
    platform: /^[a-z0-9_-]{1,32}$/.test(platform) ? platform : "",
    from: dayIn(query.get("from")),
    to: dayIn(query.get("to")),
  }
}

/** Number of filters behind the button that are set. */
export const countFilters = ({ chatbot, from, platform, to }: Filters): number =>
  [chatbot, from, platform, to].filter((value) => value !== "").length

/** The midnight at which a day begins in the reader's time zone; of the next day with 1 for `later`. */
const midnight = (day: string, later = 0): string => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

/** The query of the API for these conversations, in which an empty text is no condition. */
export const requestOf = ({ chatbot, from, kind, platform, search, to }: Filters) => ({
  search: search.trim(),
  chatbot_id: chatbot,
  platform,
  rating: kind === "up" || kind === "down" ? kind : undefined,
  unanswered: kind === "unanswered" ? ("true" as const) : undefined,
  from: from === "" ? undefined : midnight(from),
  to: to === "" ? undefined : midnight(to, 1),
})
