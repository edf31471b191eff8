import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { pageOf } from "../../api/parts/Paging.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { Usage } from "../../services/organizations/Usage.ts"
import { group } from "../Group.ts"

export const layer = group("usage", function* (handlers) {
  const usage = yield* Usage

  return handlers.handleAll({
    conversations: Effect.fnUntraced(function* ({ query, request }) {
      const groups = query.group_by ?? "day"
      const { chatbot_id: chatbot, time_zone: timeZone = "UTC", ...days } = query
      const report = { chatbot, from: days.from, to: days.to, groups, timeZone }
      const isCsv = request.headers["accept"]?.includes("text/csv") === true
      if ((query.format ?? (isCsv ? "csv" : "json")) === "csv") {
        const { file, name } = yield* usage.conversationsFile(report)
        return HttpServerResponse.stream(file, {
          contentType: "text/csv; charset=utf-8",
          headers: { "content-disposition": `attachment; filename="${name}"`, "cache-control": "no-store" },
        })
      }
      const page = pageOf(query)
      const found = yield* usage.conversations({ ...report, page }, query.previous === "true")
      const { count, from, rows, to, ...totals } = found
      return { from, to, group_by: groups, data: rows, metadata: pageMetadata(page, count), ...totals }
    }),
    read: Effect.fnUntraced(function* ({ query }) {
      const page = pageOf(query)
      const groups = query.group_by ?? (["day"] as const)
      const { from, to, rows, total, count } = yield* usage.read({ from: query.from, to: query.to, groups, page })
      return { from, to, group_by: groups, data: rows, total, metadata: pageMetadata(page, count) }
    }),
  })
})
