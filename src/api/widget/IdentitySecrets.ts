import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChatbotId } from "../../domain/Ids.ts"
import { IDENTITY_SECRETS_MAX_COUNT, IdentitySecret, IdentitySecretId } from "../../domain/widget/IdentitySecret.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Idempotent, Problems, RequiredScope } from "../Middleware.ts"
import { described } from "../parts/Annotations.ts"

const secretsPath = "/api/external/chatbot/:chatbotId/identity-secrets"
const ofChatbot = { chatbotId: ChatbotId }

const createIdentitySecret = HttpApiEndpoint.post("createIdentitySecret", secretsPath, {
  params: ofChatbot,
  success: Schema.Struct({
    identity_secret: IdentitySecret,
    secret: Schema.String.annotate({
      description: "The secret, 32 random bytes in base64url. It is shown this once and cannot be read again.",
      examples: ["pW0y3vJ8rT5sQ1xZkLm9nB7cD2fG4hK6aE8uY0iO3wM"],
    }),
  }).pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Create an identity secret",
      description: `The customer's own server signs with it who a visitor of the chat widget is: a JSON Web Token with HS256, whose key is the text of \`secret\` as it is. A chatbot has at most ${IDENTITY_SECRETS_MAX_COUNT}, all of which are valid, so that one can replace the other; 409 when it has them. Anyone with the secret can be any visitor, so that the calling key needs the scopes \`chat\` and \`conversations:read\` as well (403).`,
    }),
  )

const listIdentitySecrets = HttpApiEndpoint.get("listIdentitySecrets", secretsPath, {
  params: ofChatbot,
  success: Schema.Struct({ identity_secrets: Schema.Array(IdentitySecret) }),
  error: Problem.NotFound,
}).annotateMerge(described("List identity secrets", "Oldest first, without their texts."))

const deleteIdentitySecret = HttpApiEndpoint.delete("deleteIdentitySecret", `${secretsPath}/:secretId`, {
  params: { ...ofChatbot, secretId: IdentitySecretId },
  success: Schema.Struct({ message: Schema.Literal("Identity secret deleted successfully") }),
  error: Problem.NotFound,
}).annotateMerge(
  described(
    "Delete an identity secret",
    "What was signed with it is refused from now on. Visitors whom the server has verified before stay so until their tokens expire, which is within an hour unless the server is set otherwise.",
  ),
)

/** The endpoints that manage the secrets by which the customer's own server signs who a visitor of the widget is. */
export class IdentitySecretsApi extends HttpApiGroup.make("identitySecrets")
  .add(createIdentitySecret, listIdentitySecrets, deleteIdentitySecret)
  .annotateEndpoints(RequiredScope, "admin")
  .annotateMerge(OpenApi.annotations({ title: "Widget: identity", description: "Secrets that sign who a visitor is." }))
  .middleware(Authorization)
  .middleware(Problems) {}
