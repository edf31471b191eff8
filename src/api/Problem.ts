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
  example: Occurrence,
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
    .annotate({
      identifier: `Problem.${code}`,
      description: title,
      examples: [
        {
          type: `urn:parley:problem:${code}`,
          title,
          status,
          code,
          request_id: "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b",
          ...example,
        },
      ],
    })
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
    // What the OpenAPI document says of an answer with this failure.
    .annotate({ title, description: `\`${code}\`: ${title}.` })

const problem = <Type extends Occurrence>(
  error: Schema.Top & { readonly Type: Type } & (new (fields: { readonly detail: string }) => Type),
  status: number,
  code: string,
  title: string,
  example: string,
) => problemWith(error, status, code, title, { detail: example }, ({ detail }) => new error({ detail }))

export const InvalidRequest = problemWith(
  Errors.InvalidRequest,
  400,
  "invalid_request",
  "The request is not valid",
  {
    detail: "settings.prompt: Expected a string",
    errors: [{ path: "settings.prompt", message: "Expected a string" }],
  },
  ({ detail, errors = [] }) => new Errors.InvalidRequest({ detail, errors }),
)
export const UnsupportedVersion = problemWith(
  Errors.UnsupportedVersion,
  400,
  "unsupported_version",
  "Interface version not supported",
  {
    detail: "This server speaks version 1.0.0.",
    errors: [{ path: "header.accept-version", message: "Expected 1, 1.0 or 1.0.0" }],
  },
  ({ detail, errors = [] }) => new Errors.UnsupportedVersion({ detail, errors }),
)
export const Unauthorized = problem(
  Errors.Unauthorized,
  401,
  "unauthorized",
  "API key missing or not valid",
  "Send a valid API key as `x-api-key`, or as `Authorization: Bearer`.",
)
export const Forbidden = problem(
  Errors.Forbidden,
  403,
  "forbidden",
  "Not allowed with this API key",
  "This API key lacks the scope chatbots:write.",
)
export const NotFound = problem(Errors.NotFound, 404, "not_found", "Not found", "There is no such chatbot.")
export const MethodNotAllowed = problem(
  Errors.MethodNotAllowed,
  405,
  "method_not_allowed",
  "Method not allowed",
  "PUT is not possible here. Possible: GET, HEAD.",
)
export const RequestTimeout = problem(
  Errors.RequestTimeout,
  408,
  "request_timeout",
  "The body did not arrive in time",
  "The body: nothing of it arrived for 20 seconds.",
)
export const SlugTaken = problem(
  Errors.SlugTaken,
  409,
  "slug_taken",
  "Slug already in use",
  "Another chatbot of the organization has this slug.",
)
export const Conflict = problem(
  Errors.Conflict,
  409,
  "conflict",
  "Not possible in the present state",
  "Only a failed document can be tried again; this one is ready.",
)
export const ChatbotInactive = problem(
  Errors.ChatbotInactive,
  409,
  "chatbot_inactive",
  "The chatbot is not active",
  "This chatbot is not active: it does not answer until `active` is true again.",
)
export const PreconditionFailed = problem(
  Errors.PreconditionFailed,
  412,
  "precondition_failed",
  "Changed since it was read",
  "The chatbot has changed since the version that If-Match names.",
)
export const TooLarge = problem(Errors.TooLarge, 413, "too_large", "Too large", "handbook.pdf: at most 25 MiB.")
export const UnsupportedMediaType = problem(
  Errors.UnsupportedMediaType,
  415,
  "unsupported_media_type",
  "Media type not supported",
  "notes.exe: expected a file whose extension and content are one of md, txt, html, csv, json, pdf, docx, pptx, xlsx.",
)
export const UnreadableDocument = problem(
  Errors.UnreadableDocument,
  422,
  "unreadable_document",
  "The document cannot be read",
  "scan.pdf: The document has no text.",
)
export const TooManyRequests = problemWith(
  Errors.TooManyRequests,
  429,
  "too_many_requests",
  "Too many requests",
  { detail: "The model provider asks to wait.", retry_after_seconds: 5 },
  ({ detail, retry_after_seconds = 1 }) => new Errors.TooManyRequests({ detail, retry_after_seconds }),
)
export const BudgetSpent = problemWith(
  Errors.BudgetSpent,
  429,
  "budget_spent",
  "The tokens of the day are spent",
  {
    detail: "The organization has spent its tokens for today; there are new ones at midnight, UTC.",
    retry_after_seconds: 35_000,
  },
  ({ detail, retry_after_seconds = 1 }) => new Errors.BudgetSpent({ detail, retry_after_seconds }),
)
export const TooManyChats = problemWith(
  Errors.TooManyChats,
  429,
  "too_many_chats",
  "Too many chats at once",
  { detail: "The API key has as many chats under way as it may have.", retry_after_seconds: 5 },
  ({ detail, retry_after_seconds = 1 }) => new Errors.TooManyChats({ detail, retry_after_seconds }),
)
export const InternalError = problem(
  Errors.InternalError,
  500,
  "internal_error",
  "Internal error",
  "The server failed. Its log has the reason under this request's id.",
)
export const ProviderFailed = problem(
  Errors.ProviderFailed,
  502,
  "provider_failed",
  "The model provider failed",
  "The model provider failed.",
)
export const Unavailable = problemWith(
  Errors.Unavailable,
  503,
  "unavailable",
  "Not available right now",
  { detail: "The database cannot be reached right now.", retry_after_seconds: 2 },
  ({ detail, retry_after_seconds = 1 }) => new Errors.Unavailable({ detail, retry_after_seconds }),
)
export const ProviderTimeout = problem(
  Errors.ProviderTimeout,
  504,
  "provider_timeout",
  "The model provider did not answer in time",
  "The model did not answer in time.",
)
