import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The request header that makes a change conditional on the version of what is changed. */
export const IfMatch = {
  "if-match": Schema.optionalKey(
    Schema.String.annotate({
      description: "Change only this version, as its `ETag` named it; 412 when it has changed since.",
      examples: ['"7"'],
    }),
  ),
}

/** A response body with the header `ETag`, which names the version of what is in it. */
export const withEtag = <S extends Schema.Top>(body: S) =>
  HttpApiSchema.WithHeaders(body, {
    etag: Schema.String.annotate({ description: "Version of what is shown.", examples: ['"7"'] }),
  })
