import { Schema } from "effect"
import { type Declaration, Explanation, type Occurrence, PlaceErrors } from "../../domain/Failure.ts"
import { type FailureForm, schemasIn } from "./FailureForm.ts"

const encode = (
  { code, status, title }: Declaration,
  { detail, errors, explanation, retry_after_seconds }: Occurrence,
  request_id: string,
) => ({
  type: `urn:parley:problem:${code}`,
  title,
  status,
  detail,
  code,
  request_id,
  ...(errors && { errors }),
  ...(retry_after_seconds !== undefined && { retry_after_seconds }),
  ...(explanation && { explanation }),
})

/**
 * Failures as RFC 9457 problems. Of the RFC's fields they have `type` (a URN made of the code), `title` (the same for
 * every occurrence), `status` and `detail`. Parley adds `code` (stable, for programs), `request_id`, and, where the
 * failure has them, `errors`, `retry_after_seconds` and `explanation`.
 */
export const problemForm: FailureForm<ReturnType<typeof encode>> = {
  mediaType: "application/problem+json",
  schemaOf: (declaration) => {
    const id = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
    const { code, request_id, status, title, type } = encode(declaration, declaration.example, id)
    return Schema.Struct({
      type: Schema.Literal(type),
      title: Schema.Literal(title),
      status: Schema.Literal(status),
      detail: Schema.String,
      code: Schema.Literal(code),
      request_id: Schema.String,
      errors: Schema.optionalKey(PlaceErrors),
      retry_after_seconds: Schema.optionalKey(Schema.Int),
      explanation: Schema.optionalKey(Explanation),
    }).annotate({
      identifier: `Problem.${code}`,
      description: title,
      examples: [{ type, title, status, code, request_id, ...declaration.example }],
    })
  },
  encode,
  decode: (body) => body,
  codeOf: ({ code }) => code,
}

/** The schemas of every failure as a problem. Endpoints of Parley's own dialect declare them as errors. */
export const Problem = schemasIn(problemForm)
