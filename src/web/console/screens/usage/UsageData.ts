import { dayAt } from "../../charts/Days.ts"
import { call } from "../../server/Api.ts"
import { resources } from "../../server/Resource.ts"
import type { Division, UsageRow } from "./Report.ts"

/** The most pages of one report that are fetched: more rows than anybody reads. */
const PAGES_MAX = 60

type Grouping = "day" | "chatbot" | "model" | "provider" | "key"

interface ReportPage<A> {
  readonly data: ReadonlyArray<A>
  readonly metadata: { readonly totalPages: number }
}

/** The rows of all pages of a report. */
const everyRow = async <A>(fetchPage: (page: string) => Promise<ReportPage<A>>): Promise<ReadonlyArray<A>> => {
  const rows: Array<A> = []
  for (let page = 1, pages = 1; page <= Math.min(pages, PAGES_MAX); page++) {
    const { data, metadata } = await fetchPage(String(page))
    rows.push(...data)
    pages = metadata.totalPages
  }
  return rows
}

/** The rows of a report on usage. */
export const fetchReport = (
  from: string,
  to: string,
  groups: ReadonlyArray<Grouping>,
): Promise<ReadonlyArray<UsageRow>> =>
  everyRow((page) =>
    call("GET /api/external/usage", { query: { from, to, group_by: groups.join(","), page, limit: "100" } }),
  )

/** The usage from one day to another, by day and by what divides it. */
export const usageReport = resources((from: string, to: string, by: string) =>
  fetchReport(from, to, ["day", by as Division]),
)

/** The conversations of each chatbot from one day to another, also of each day. */
export const conversationReport = resources((from: string, to: string, groups: string) => {
  const group_by = groups === "day,chatbot" ? groups : "chatbot"
  return everyRow((page) =>
    call("GET /api/external/usage/conversations", { query: { from, to, group_by, page, limit: "100" } }),
  )
})

/** The conversations from one day to another by the language of the questions, and all of them together. */
export const languageReport = resources((from: string, to: string) =>
  call("GET /api/external/usage/conversations", { query: { from, to, group_by: "language", limit: "100" } }),
)

/** The usage of each key since midnight UTC. */
export const usageToday = resources(() => {
  const today = dayAt(Date.now())
  return fetchReport(today, today, ["key"])
})
