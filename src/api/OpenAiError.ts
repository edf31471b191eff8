import { Schema, SchemaAST, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Errors from "../domain/Errors.ts"
import * as Problem from "./Problem.ts"

/*
 * The failures of `domain/Errors.ts` in the form that clients of OpenAI know. `type` and `code` are OpenAI's own where
 * it has the case, since its clients tell failures apart by them.
 */

const Body = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String.annotate({ description: "For people." }),
    type: Schema.String.annotate({ examples: ["invalid_request_error"] }),
    param: Schema.NullOr(Schema.String).annotate({ description: "What of the request is meant." }),
    code: Schema.String.annotate({ description: "Stable, for programs.", examples: ["model_not_found"] }),
    errors: Schema.optionalKey(
      Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })).annotate({
        description: "What is wrong with the request: the first 20 places.",
      }),
    ),
    retry_after_seconds: Schema.optionalKey(Schema.Int),
  }),
}).annotate({ identifier: "OpenAiError" })

interface Occurrence {
  readonly detail: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly retry_after_seconds?: number
}

interface Kind {
  readonly status: number
  readonly type: string
  readonly code: string
}

const kinds = {
  InvalidRequest: { status: 400, type: "invalid_request_error", code: "invalid_request" },
  UnsupportedVersion: { status: 400, type: "invalid_request_error", code: "unsupported_version" },
  Unauthorized: { status: 401, type: "invalid_request_error", code: "invalid_api_key" },
  Forbidden: { status: 403, type: "invalid_request_error", code: "insufficient_permissions" },
  NotFound: { status: 404, type: "invalid_request_error", code: "model_not_found" },
  MethodNotAllowed: { status: 405, type: "invalid_request_error", code: "method_not_allowed" },
  RequestTimeout: { status: 408, type: "invalid_request_error", code: "request_timeout" },
  ChatbotInactive: { status: 409, type: "invalid_request_error", code: "chatbot_inactive" },
  TooLarge: { status: 413, type: "invalid_request_error", code: "request_too_large" },
  UnsupportedMediaType: { status: 415, type: "invalid_request_error", code: "unsupported_media_type" },
  TooManyRequests: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  // OpenAI's own clients know this code as one that waiting does not help with soon.
  BudgetSpent: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  TooManyChats: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  InternalError: { status: 500, type: "server_error", code: "internal_error" },
  ProviderFailed: { status: 502, type: "server_error", code: "provider_failed" },
  Unavailable: { status: 503, type: "server_error", code: "unavailable" },
  ProviderTimeout: { status: 504, type: "server_error", code: "provider_timeout" },
} as const satisfies Record<string, Kind>

type Tag = keyof typeof kinds

/** What the failure is called as a problem. */
const titleOf = (tag: Tag): string | undefined => {
  const problems: Readonly<Record<Tag, Schema.Top>> = Problem
  return SchemaAST.resolveTitle(problems[tag].ast)
}

const isTag = (tag: string): tag is Tag => tag in kinds

/** A failure as it is told, wherever that is: one that is none of these is a fault of ours. */
export const rendered = ({ _tag, detail, errors, retry_after_seconds }: Occurrence & { readonly _tag: string }) => {
  const { code, status, type }: Kind = kinds[isTag(_tag) ? _tag : "InternalError"]
  const body: typeof Body.Type = {
    error: {
      message: detail,
      type,
      param: errors?.[0]?.path ?? null,
      code,
      ...(errors && { errors }),
      ...(retry_after_seconds !== undefined && { retry_after_seconds }),
    },
  }
  return { status, body }
}

const openAiError = <Type extends Occurrence & { readonly _tag: string }>(
  tag: Tag,
  error: Schema.Top & { readonly Type: Type },
  decode: (error: (typeof Body.Type)["error"]) => Type,
) =>
  Body.pipe(
    Schema.decodeTo(
      Schema.toType(error),
      SchemaTransformation.transform({
        decode: (body) => decode(body.error),
        encode: (failure: Type) => rendered(failure).body,
      }),
    ),
    HttpApiSchema.status(kinds[tag].status),
  ).annotate({ description: `\`${kinds[tag].code}\`: ${titleOf(tag)}.` })

const plain = <Type extends Occurrence & { readonly _tag: string }>(
  tag: Tag,
  error: Schema.Top & { readonly Type: Type } & (new (fields: { readonly detail: string }) => Type),
) => openAiError(tag, error, ({ message }) => new error({ detail: message }))

const later = <Type extends Occurrence & { readonly _tag: string }>(
  tag: Tag,
  error: Schema.Top & { readonly Type: Type } & (new (fields: {
      readonly detail: string
      readonly retry_after_seconds: number
    }) => Type),
) =>
  openAiError(tag, error, ({ message, retry_after_seconds = 1 }) => new error({ detail: message, retry_after_seconds }))

export const InvalidRequest = openAiError(
  "InvalidRequest",
  Errors.InvalidRequest,
  ({ message, errors = [] }) => new Errors.InvalidRequest({ detail: message, errors }),
)
export const UnsupportedVersion = openAiError(
  "UnsupportedVersion",
  Errors.UnsupportedVersion,
  ({ message, errors = [] }) => new Errors.UnsupportedVersion({ detail: message, errors }),
)
export const Unauthorized = plain("Unauthorized", Errors.Unauthorized)
export const Forbidden = plain("Forbidden", Errors.Forbidden)
export const NotFound = plain("NotFound", Errors.NotFound)
export const MethodNotAllowed = plain("MethodNotAllowed", Errors.MethodNotAllowed)
export const RequestTimeout = plain("RequestTimeout", Errors.RequestTimeout)
export const ChatbotInactive = plain("ChatbotInactive", Errors.ChatbotInactive)
export const TooLarge = plain("TooLarge", Errors.TooLarge)
export const UnsupportedMediaType = plain("UnsupportedMediaType", Errors.UnsupportedMediaType)
export const TooManyRequests = later("TooManyRequests", Errors.TooManyRequests)
export const BudgetSpent = later("BudgetSpent", Errors.BudgetSpent)
export const TooManyChats = later("TooManyChats", Errors.TooManyChats)
export const InternalError = plain("InternalError", Errors.InternalError)
export const ProviderFailed = plain("ProviderFailed", Errors.ProviderFailed)
export const Unavailable = later("Unavailable", Errors.Unavailable)
export const ProviderTimeout = plain("ProviderTimeout", Errors.ProviderTimeout)
