import { Effect, Redacted } from "effect"
import { IdentitySecrets } from "../../services/widget/IdentitySecrets.ts"
import { group } from "../Group.ts"

export const layer = group("identitySecrets", function* (handlers) {
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
})
