import { Schema, SchemaTransformation, Struct } from "effect"
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

const Body = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String.annotate({ description: "For people." }),
    type: Schema.String.annotate({ examples: ["invalid_request_error"] }),
    param: Schema.NullOr(Schema.String).annotate({ description: "What of the request is meant." }),
    code: Schema.String.annotate({ description: "Stable, for programs.", examples: ["model_not_found"] }),
    errors: Schema.optionalKey(
      PlaceErrors.annotate({ description: "What is wrong with the request: the first 20 places." }),
    ),
    retry_after_seconds: Schema.optionalKey(Schema.Int),
  }),
}).annotate({ identifier: "OpenAiError" })

/** OpenAI's own `type` and `code` where it has the case, since its clients tell failures apart by them. */
export const openAiNamesOf = ({ code, openAi, status }: Declaration) => ({
  type:
    openAi?.type ?? (status >= 500 ? "server_error" : status === 429 ? "rate_limit_error" : "invalid_request_error"),
  code: openAi?.code ?? code,
})

/** A failure in the form that clients of OpenAI know. */
export const openAiErrorOf = (
  declaration: Declaration,
  { detail, errors, retry_after_seconds }: Occurrence,
): typeof Body.Type => {
  const { code, type } = openAiNamesOf(declaration)
  return {
    error: {
      message: detail,
      type,
      param: errors?.[0]?.path ?? null,
      code,
      ...(errors && { errors }),
      ...(retry_after_seconds !== undefined && { retry_after_seconds }),
    },
  }
}

/** Every failure in OpenAI's form: what endpoints for clients of OpenAI declare. */
export const OpenAiError = Struct.map(
  failures,
  Struct.lambda<FailureForms>((failure: FailureClass) =>
    Body.pipe(
      Schema.decodeTo(
        failure,
        SchemaTransformation.transform({
          decode: ({ error }): EncodedFailure => ({ ...error, _tag: failure.identifier, detail: error.message }),
          encode: (occurrence) => openAiErrorOf(failure.declaration, occurrence),
        }),
      ),
      HttpApiSchema.status(failure.declaration.status),
    ).annotate({ description: `\`${openAiNamesOf(failure.declaration).code}\`: ${failure.declaration.title}.` }),
  ),
)
