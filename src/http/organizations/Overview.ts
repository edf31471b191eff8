import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { Overview } from "../../services/console/Overview.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "overview",
  Effect.fn(function* (handlers) {
    const overview = yield* Overview

    return handlers.handleAll({ totals: () => Effect.map(overview.totals, (totals) => ({ totals })) })
  }),
)
