import { DateTime, Effect } from "effect"
import { AuditLog } from "../../services/organizations/AuditLog.ts"
import { pageIn, rangeOf } from "../Listing.ts"
import { group } from "../Group.ts"

export const layer = group("auditLog", function* (handlers) {
  const log = yield* AuditLog

  return handlers.handleAll({
    list: ({ query, request }) => {
      const { action, api_key_id, from, organization_id, target_id, to } = query
      const filter = {
        action,
        apiKey: api_key_id,
        target: target_id,
        from: from && DateTime.toDate(from),
        to: to && DateTime.toDate(to),
      }
      const found = log.list(organization_id, filter, rangeOf(query))
      return Effect.map(
        found,
        pageIn(request.url, query, (entries) => ({ entries })),
      )
    },
  })
})
