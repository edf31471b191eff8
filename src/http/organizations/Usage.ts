import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { pageOf } from "../../api/parts/Paging.ts"
import { pageMetadata } from "../../domain/Page.ts"
import { Usage } from "../../services/organizations/Usage.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fn(function* (handlers) {
    const usage = yield* Usage

    return handlers.handleAll({
      conversations: Effect.fnUntraced(function* ({ query }) {
        const page = pageOf(query)
        const groups = query.group_by ?? "day"
        const { from, to, rows, total, count } = yield* usage.conversations({ ...query, groups, page })
        return { from, to, group_by: groups, data: rows, total, metadata: pageMetadata(page, count) }
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
