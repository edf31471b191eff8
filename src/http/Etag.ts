import { HttpApiSchema } from "effect/http-api"
import { etagOf } from "../services/Chatbots.ts"

/** A body, with the header that names the version of the chatbot it is of. */
export const withEtag = <A>(body: A, chatbot: { readonly version: bigint }) =>
  HttpApiSchema.withHeaders({ body, headers: { etag: etagOf(chatbot) } })
