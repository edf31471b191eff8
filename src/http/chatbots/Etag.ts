import { HttpApiSchema } from "effect/http-api"
import { etagOf } from "../../services/chatbots/Chatbots.ts"

/** A response body with the header `ETag`, which names the version of the chatbot in it. */
export const withEtag = <A>(body: A, chatbot: { readonly version: bigint }) =>
  HttpApiSchema.withHeaders({ body, headers: { etag: etagOf(chatbot) } })
