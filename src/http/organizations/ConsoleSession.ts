import { HttpApiBuilder } from "effect/http-api"
import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Forbidden } from "../../domain/Errors.ts"
import { ConsoleSessions } from "../../services/keys/ConsoleSessions.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { beginning, ending, isOfForeignPage } from "../access/ConsoleCookie.ts"

const foreignPage = new Forbidden({ detail: "Only the console's own pages sign in and out." })

const ensureOurs = (request: HttpServerRequest.HttpServerRequest) =>
  isOfForeignPage(request) ? Effect.fail(foreignPage) : Effect.void

const noStore = { "cache-control": "no-store" } as const

const access = HttpApiBuilder.group(
  Api,
  "consoleAccess",
  Effect.fn(function* (handlers) {
    const sessions = yield* ConsoleSessions
    const publicUrl = yield* PublicUrl

    return handlers.handleAll({
      signIn: Effect.fnUntraced(function* ({ payload, request }) {
        yield* ensureOurs(request)
        const { cookie, lifetime, session } = yield* sessions.signIn(payload)
        return HttpApiSchema.withHeaders({
          body: { session },
          headers: { "set-cookie": beginning(request, publicUrl, cookie, lifetime), ...noStore },
        })
      }),

      signOut: ({ request }) =>
        Effect.as(
          ensureOurs(request),
          HttpApiSchema.withHeaders({
            body: { message: "Signed out successfully" as const },
            headers: { "set-cookie": ending(request, publicUrl), ...noStore },
          }),
        ),
    })
  }),
)

const session = HttpApiBuilder.group(
  Api,
  "console",
  Effect.fn(function* (handlers) {
    const sessions = yield* ConsoleSessions

    return handlers.handleAll({ whoAmI: () => Effect.map(sessions.current, (current) => ({ session: current })) })
  }),
)

export const layer = Layer.merge(access, session)
