import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  FoundModelServer,
  ModelConnection,
  ModelConnectionId,
  ModelConnectionInput,
  ModelConnectionPatch,
  ModelSource,
  ModelTest,
} from "../../domain/models/ModelConnection.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { textBetween } from "../../domain/schema/Text.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { described, slow } from "../parts/Annotations.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"

const connectionsPath = "/api/admin/model-connections"
const connectionPath = `${connectionsPath}/:connectionId` as const
const ofConnection = { connectionId: ModelConnectionId }
const OneConnection = withEtag(Schema.Struct({ connection: ModelConnection }))

const create = HttpApiEndpoint.post("create", connectionsPath, {
  payload: ModelConnectionInput,
  success: OneConnection.pipe(HttpApiSchema.status(201)),
  error: Problem.Conflict,
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Connect a server of language models",
      "Its models are there at once, as `<name>/<model>`. The key is encrypted like other secrets. A private address needs the scope `operator`, or has to be allowed by the server's settings.",
    ),
  )

const list = HttpApiEndpoint.get("list", connectionsPath, {
  success: Schema.Struct({ connections: Schema.Array(ModelConnection) }),
}).annotateMerge(described("List model connections", "Of the caller's organization, by name, without their keys."))

const get = HttpApiEndpoint.get("get", connectionPath, {
  params: ofConnection,
  success: OneConnection,
  error: Problem.NotFound,
}).annotateMerge(described("Get a model connection", "Without its key."))

const update = HttpApiEndpoint.patch("update", connectionPath, {
  params: ofConnection,
  headers: IfMatch,
  payload: ChangePayload(ModelConnectionPatch),
  success: OneConnection,
  error: [Problem.NotFound, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotateMerge(
    described(
      "Replace the key of a model connection",
      `Every server uses it within a second. The rest never changes: a key is for the address that it was given for. ${changeDescription}`,
    ),
  )

const remove = HttpApiEndpoint.delete("remove", connectionPath, {
  params: ofConnection,
  success: Schema.Struct({ message: Schema.Literal("Model connection deleted successfully") }),
  error: Problem.NotFound,
}).annotateMerge(
  described("Delete a model connection", "Chatbots on its models cannot answer until they have another one."),
)

const sources = HttpApiEndpoint.get("sources", "/api/external/models", {
  success: Schema.Struct({ sources: Schema.Array(ModelSource) }),
})
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(
    described(
      "List models",
      "The models that chatbots may be given, by where they come from. Providers are asked at most once a minute; a model that is not listed may be used as well.",
    ),
  )

const found = HttpApiEndpoint.get("found", "/api/admin/model-servers", {
  success: Schema.Struct({ servers: Schema.Array(FoundModelServer) }),
})
  .annotate(RequiredScope, "operator")
  .annotateMerge(
    described(
      "Find servers of models",
      "Ollama and LM Studio on the machine of the server, or on the host of its container, that have models and are not connected yet.",
    ),
  )

const test = HttpApiEndpoint.post("test", "/api/admin/models/test", {
  payload: Schema.Struct({ model: textBetween(1, 200) }),
  success: Schema.Struct({ test: ModelTest }),
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.bulk))
  .annotateMerge(
    described(
      "Test a model",
      "Asks it a question that needs a search, and shows it an image, as chats do: two to four calls, which its provider charges and no chatbot's usage counts.",
    ),
  )

/** The endpoints by which administrators connect servers of language models. */
export class ModelsApi extends HttpApiGroup.make("models")
  .add(create, list, get, update, remove, test)
  .annotateEndpoints(RequiredScope, "admin")
  .add(sources, found)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({ title: "Models", description: "Language models, and the servers that they come from." }),
  )
  .middleware(Authorization)
  .middleware(Problems) {}
