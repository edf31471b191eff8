import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The header by which a change is made to one version of a chatbot alone. */
export const IfMatch = {
  "if-match": Schema.optionalKey(
    Schema.String.annotate({
      description: "Change only this version of the chatbot, as its `ETag` named it; 412 when it has changed since.",
      examples: ['"7"'],
    }),
  ),
}

/** A body, with the header that names the version of the chatbot it is of. */
export const withEtag = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, {
    etag: Schema.String.annotate({ description: "Version of the chatbot.", examples: ['"7"'] }),
  })
