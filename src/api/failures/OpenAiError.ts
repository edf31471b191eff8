import { Schema } from "effect"
import { type Declaration, PlaceErrors } from "../../domain/Failure.ts"
import { type FailureForm, schemasIn } from "./FailureForm.ts"

const Body = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String.annotate({ description: "For people." }),
    type: Schema.String.annotate({ examples: ["invalid_request_error"] }),
    param: Schema.NullOr(Schema.String).annotate({ description: "The part of the request that is meant." }),
    code: Schema.String.annotate({ description: "Stable, for programs.", examples: ["model_not_found"] }),
    errors: Schema.optionalKey(
      PlaceErrors.annotate({ description: "The first 20 faults of the request, each with its place." }),
    ),
    retry_after_seconds: Schema.optionalKey(Schema.Int),
  }),
}).annotate({ identifier: "OpenAiError" })

const typeOf = ({ openAi, status }: Declaration): string =>
  openAi?.type ?? (status >= 500 ? "server_error" : status === 429 ? "rate_limit_error" : "invalid_request_error")

const codeOf = ({ code, openAi }: Declaration): string => openAi?.code ?? code

/**
 * Failures in the form of OpenAI's API, which tells its clients by `type` and `code` what happened. Where OpenAI has
 * the same failure, its `type` and `code` are used.
 */
export const openAiForm: FailureForm<typeof Body.Type> = {
  mediaType: "application/json",
  schemaOf: () => Body,
  encode: (declaration, { detail, errors, retry_after_seconds }) => ({
    error: {
      message: detail,
      type: typeOf(declaration),
      param: errors?.[0]?.path ?? null,
      code: codeOf(declaration),
      ...(errors && { errors }),
      ...(retry_after_seconds !== undefined && { retry_after_seconds }),
    },
  }),
  decode: ({ error }) => ({ ...error, detail: error.message }),
  codeOf,
}

/** The schemas of every failure in OpenAI's form. Endpoints for clients of OpenAI declare them as errors. */
export const OpenAiError = schemasIn(openAiForm)
