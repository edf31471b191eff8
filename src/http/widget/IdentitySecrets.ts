import { HttpApiBuilder } from "effect/http-api"
import { Effect, Redacted } from "effect"
import { Api } from "../../api/Api.ts"
import { IdentitySecrets } from "../../services/widget/IdentitySecrets.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "identitySecrets",
  Effect.fn(function* (handlers) {
    const secrets = yield* IdentitySecrets

    return handlers.handleAll({
      createIdentitySecret: ({ params }) =>
        Effect.map(secrets.create(params.chatbotId), ({ identitySecret, secret }) => ({
          identity_secret: identitySecret,
          secret: Redacted.value(secret),
        })),
      listIdentitySecrets: ({ params }) => Effect.bindTo(secrets.list(params.chatbotId), "identity_secrets"),
      deleteIdentitySecret: ({ params }) =>
        Effect.as(secrets.remove(params.chatbotId, params.secretId), {
          message: "Identity secret deleted successfully" as const,
        }),
    })
  }),
)
