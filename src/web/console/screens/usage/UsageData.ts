import { dayAt } from "../../charts/Days.ts"
import { call } from "../../server/Api.ts"
import type { Answer } from "../../server/Endpoints.ts"
import { resources } from "../../server/Resource.ts"
import type { Division, UsageRow } from "./Report.ts"

/** The most pages of one report that are fetched: more rows than anybody reads. */
const PAGES_MAX = 60

type Grouping = "day" | "chatbot" | "model" | "provider" | "key"

/** The rows of a report, of all its pages. */
export const fetchReport = async (
  from: string,
  to: string,
  groups: ReadonlyArray<Grouping>,
): Promise<ReadonlyArray<UsageRow>> => {
  const rows: Array<UsageRow> = []
  for (let page = 1, pages = 1; page <= Math.min(pages, PAGES_MAX); page++) {
    const query = { from, to, group_by: groups.join(","), page: String(page), limit: "100" }
    const { data, metadata } = await call("GET /api/external/usage", { query })
    rows.push(...data)
    pages = metadata.totalPages
  }
  return rows
}

/** The usage from one day to another, by day and by what divides it. */
export const usageReport = resources((from: string, to: string, by: string) =>
  fetchReport(from, to, ["day", by as Division]),
)

type ConversationGroups = "chatbot" | "day,chatbot"

/** The conversations of each chatbot from one day to another, also of each day. */
export const conversationReport = resources(async (from: string, to: string, groups: string) => {
  const group_by: ConversationGroups = groups === "day,chatbot" ? groups : "chatbot"
  const rows: Array<Answer<"GET /api/external/usage/conversations">["data"][number]> = []
  for (let page = 1, pages = 1; page <= Math.min(pages, PAGES_MAX); page++) {
    const query = { from, to, group_by, page: String(page), limit: "100" }
    const { data, metadata } = await call("GET /api/external/usage/conversations", { query })
    rows.push(...data)
    pages = metadata.totalPages
  }
  return rows
})

/** The usage of each key since midnight UTC. */
export const usageToday = resources(() => {
  const today = dayAt(Date.now())
  return fetchReport(today, today, ["key"])
})
