import { Context, Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Errors from "../domain/Errors.ts"

/** Id of the request being answered: in the `x-request-id` header, in every log line and in every problem. */
export const RequestId: Context.Reference<string> = Context.Reference("parley/api/RequestId", {
  defaultValue: () => "",
})

export const problemMediaType = "application/problem+json"

const FieldErrors = Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))

interface Occurrence {
  readonly detail: string
  readonly errors?: typeof FieldErrors.Type
  readonly retry_after_seconds?: number
}

/**
 * Renders an error class as an RFC 9457 problem: `type` (a URN of the code), `title` (the same for every occurrence),
 * `status`, `detail`, and our `code` (stable, for programs), `request_id`, and `errors` or `retry_after_seconds` where
 * the class has them.
 */
const problemWith = <Type extends Occurrence>(
  error: Schema.Top & { readonly Type: Type },
  status: number,
  code: string,
  title: string,
  decode: (body: Occurrence) => Type,
) =>
  Schema.Struct({
    type: Schema.Literal(`urn:parley:problem:${code}`),
    title: Schema.Literal(title),
    status: Schema.Literal(status),
    detail: Schema.String,
    code: Schema.Literal(code),
    request_id: Schema.String,
    errors: Schema.optionalKey(FieldErrors),
    retry_after_seconds: Schema.optionalKey(Schema.Int),
  })
    .annotate({ identifier: `Problem.${code}`, description: title })
    .pipe(
      Schema.decodeTo(
        Schema.toType(error),
        SchemaTransformation.transformEffect({
          decode: (body) => Effect.succeed(decode(body)),
          encode: ({ detail, errors, retry_after_seconds }: Type) =>
            RequestId.useSync((request_id) => ({
              type: `urn:parley:problem:${code}`,
              title,
              status,
              detail,
              code,
              request_id,
              ...(errors && { errors }),
              ...(retry_after_seconds !== undefined && { retry_after_seconds }),
            })),
        }),
      ),
      HttpApiSchema.asJson({ contentType: problemMediaType }),
      HttpApiSchema.status(status),
    )

const problem = <Type extends Occurrence>(
  error: Schema.Top & { readonly Type: Type } & (new (fields: { readonly detail: string }) => Type),
  status: number,
  code: string,
  title: string,
) => problemWith(error, status, code, title, ({ detail }) => new error({ detail }))

export const InvalidRequest = problemWith(
  Errors.InvalidRequest,
  400,
  "invalid_request",
  "The request is not valid",
  ({ detail, errors = [] }) => new Errors.InvalidRequest({ detail, errors }),
)
export const UnsupportedVersion = problem(
  Errors.UnsupportedVersion,
  400,
  "unsupported_version",
  "Interface version not supported",
)
export const Unauthorized = problem(Errors.Unauthorized, 401, "unauthorized", "API key missing or not valid")
export const Forbidden = problem(Errors.Forbidden, 403, "forbidden", "Not allowed with this API key")
export const NotFound = problem(Errors.NotFound, 404, "not_found", "Not found")
export const MethodNotAllowed = problem(Errors.MethodNotAllowed, 405, "method_not_allowed", "Method not allowed")
export const SlugTaken = problem(Errors.SlugTaken, 409, "slug_taken", "Slug already in use")
export const Conflict = problem(Errors.Conflict, 409, "conflict", "Not possible in the present state")
export const PreconditionFailed = problem(
  Errors.PreconditionFailed,
  412,
  "precondition_failed",
  "Changed since it was read",
)
export const TooLarge = problem(Errors.TooLarge, 413, "too_large", "Too large")
export const UnsupportedMediaType = problem(
  Errors.UnsupportedMediaType,
  415,
  "unsupported_media_type",
  "Media type not supported",
)
export const UnreadableDocument = problem(
  Errors.UnreadableDocument,
  422,
  "unreadable_document",
  "The document cannot be read",
)
export const TooManyRequests = problemWith(
  Errors.TooManyRequests,
  429,
  "too_many_requests",
  "Too many requests",
  ({ detail, retry_after_seconds = 1 }) => new Errors.TooManyRequests({ detail, retry_after_seconds }),
)
export const InternalError = problem(Errors.InternalError, 500, "internal_error", "Internal error")
export const ProviderFailed = problem(Errors.ProviderFailed, 502, "provider_failed", "The model provider failed")
export const Unavailable = problemWith(
  Errors.Unavailable,
  503,
  "unavailable",
  "Not available right now",
  ({ detail, retry_after_seconds = 1 }) => new Errors.Unavailable({ detail, retry_after_seconds }),
)
export const ProviderTimeout = problem(
  Errors.ProviderTimeout,
  504,
  "provider_timeout",
  "The model provider did not answer in time",
)
