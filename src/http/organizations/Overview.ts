import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { Overview } from "../../services/console/Overview.ts"
import { group } from "../edge/Group.ts"

export const layer = group(
  Api,
  "overview",
  Effect.fn(function* (handlers) {
    const overview = yield* Overview

    return handlers.handleAll({ totals: () => Effect.map(overview.totals, (totals) => ({ totals })) })
  }),
)
