import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { ensureOrigin, Placements } from "../../services/widget/Placements.ts"
import { VisitorTokens } from "../../services/widget/VisitorTokens.ts"
import { foreignOriginOf } from "../access/PageOrigin.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "widgetAccess",
  Effect.fn(function* (handlers) {
    const placements = yield* Placements
    const tokens = yield* VisitorTokens
    const publicUrl = yield* PublicUrl

    return handlers.handleAll({
      config: ({ params, request }) =>
        placements.visit(params.key).pipe(
          Effect.tap((placement) => ensureOrigin(placement, foreignOriginOf(request, publicUrl))),
          Effect.map(({ config }) => ({ config })),
        ),
      openSession: ({ payload, request }) => tokens.open(payload, foreignOriginOf(request, publicUrl)),
    })
  }),
)
