import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Api } from "../../api/Api.ts"
import { pageOf } from "../../api/parts/Paging.ts"
import { CSV_ROWS_MAX } from "../../domain/organizations/Usage.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { conversationsCsv } from "../../services/organizations/ConversationsCsv.ts"
import { Usage } from "../../services/organizations/Usage.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fn(function* (handlers) {
    const usage = yield* Usage

    return handlers.handleAll({
      conversations: Effect.fnUntraced(function* ({ query, request }) {
        const isCsv = (query.format ?? (request.headers["accept"]?.includes("text/csv") ? "csv" : "json")) === "csv"
        const page = isCsv ? { page: 1, limit: CSV_ROWS_MAX } : pageOf(query)
        const groups = query.group_by ?? "day"
        const isCompared = query.previous === "true" && !isCsv
        const found = yield* usage.conversations({
          ...query,
          groups,
          page,
          isCompared,
          timeZone: query.time_zone ?? "UTC",
        })
        const { count, from, rows, to, ...totals } = found
        if (!isCsv) return { from, to, group_by: groups, data: rows, metadata: pageMetadata(page, count), ...totals }
        const file = `conversations-${groups.replace(",", "-")}-${from}-${to}.csv`
        return HttpServerResponse.text(conversationsCsv(rows), {
          contentType: "text/csv; charset=utf-8",
          headers: { "content-disposition": `attachment; filename="${file}"`, "cache-control": "no-store" },
        })
      }),
      read: Effect.fnUntraced(function* ({ query }) {
        const page = pageOf(query)
        const groups = query.group_by ?? (["day"] as const)
        const { from, to, rows, total, count } = yield* usage.read({ from: query.from, to: query.to, groups, page })
        return { from, to, group_by: groups, data: rows, total, metadata: pageMetadata(page, count) }
      }),
    })
  }),
)
