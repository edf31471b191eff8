import { Context, Effect, Schema, SchemaTransformation, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { failures } from "../domain/Errors.ts"
import {
  type Declaration,
  type EncodedFailure,
  type FailureClass,
  type Occurrence,
  PlaceErrors,
} from "../domain/Failure.ts"
import type { FailureForms } from "./FailureForms.ts"

/** Id of the request being answered: in the `x-request-id` header, in every log line and in every problem. */
export const RequestId: Context.Reference<string> = Context.Reference("parley/api/RequestId", {
  defaultValue: () => "",
})

export const problemMediaType = "application/problem+json"

/**
 * A failure as an RFC 9457 problem: `type` (a URN of the code), `title` (the same for every occurrence), `status`,
 * `detail`, and our `code` (stable, for programs), `request_id`, and `errors` or `retry_after_seconds` where the failure
 * has them.
 */
export const problemOf = (
  { code, status, title }: Declaration,
  { detail, errors, retry_after_seconds }: Occurrence,
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
})

const bodyOf = (declaration: Declaration) => {
  const example = problemOf(declaration, declaration.example, "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b")
  return Schema.Struct({
    type: Schema.Literal(example.type),
    title: Schema.Literal(example.title),
    status: Schema.Literal(example.status),
    detail: Schema.String,
    code: Schema.Literal(example.code),
    request_id: Schema.String,
    errors: Schema.optionalKey(PlaceErrors),
    retry_after_seconds: Schema.optionalKey(Schema.Int),
  }).annotate({
    identifier: `Problem.${declaration.code}`,
    description: declaration.title,
    examples: [example],
  })
}

/** Every failure as a problem: what endpoints of Parley's own dialect declare. */
export const Problem = Struct.map(
  failures,
  Struct.lambda<FailureForms>((failure: FailureClass) => {
    const { code, status, title } = failure.declaration
    return (
      bodyOf(failure.declaration)
        .pipe(
          Schema.decodeTo(
            failure,
            SchemaTransformation.transformEffect({
              decode: (body) => Effect.succeed<EncodedFailure>({ ...body, _tag: failure.identifier }),
              encode: (occurrence) => RequestId.useSync((id) => problemOf(failure.declaration, occurrence, id)),
            }),
          ),
          HttpApiSchema.asJson({ contentType: problemMediaType }),
          HttpApiSchema.status(status),
        )
        // What the OpenAPI document says of an answer with this failure.
        .annotate({ title, description: `\`${code}\`: ${title}.` })
    )
  }),
)
