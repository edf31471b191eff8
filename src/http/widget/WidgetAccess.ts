import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Embedding } from "../../services/widget/Embedding.ts"
import { VisitorTokens } from "../../services/widget/VisitorTokens.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "widgetAccess",
  Effect.fn(function* (handlers) {
    const embedding = yield* Embedding
    const tokens = yield* VisitorTokens

    return handlers.handleAll({
      config: ({ params }) => Effect.map(embedding.visit(params.key), ({ config }) => ({ config })),
      openSession: ({ payload }) => tokens.open(payload),
    })
  }),
)
