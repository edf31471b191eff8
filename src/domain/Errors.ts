import { ByteSize, Schema } from "effect"
import { type Declaration, Explanation, PlaceErrors } from "./Failure.ts"

/*
 * The failures that a client can meet, one class each. The `declaration` of a class says what is the same for
 * every occurrence. The representations in `api/failures/Problem.ts`, `api/failures/OpenAiError.ts` and
 * `http/mcp/McpTools.ts`, the OpenAPI document and `docs/errors.md` are derived from these declarations.
 */

/** The fields of most failures, of those that name places of the request, and of those that say when to try again. */
const Detail = { detail: Schema.String }
const DetailAndPlaces = { ...Detail, errors: PlaceErrors }
const DetailAndTime = { ...Detail, retry_after_seconds: Schema.Int }
/** The field of failures of language models. */
const Explained = { explanation: Schema.optionalKey(Explanation) }

/** Makes the class that the class of a failure extends. */
const failure =
  <Self>() =>
  <const Tag extends string, const Fields extends Schema.Struct.Fields>(
    tag: Tag,
    fields: Fields,
    declaration: Declaration,
  ) =>
    Object.assign(Schema.TaggedError<Self>()(tag, fields), { declaration })

/** The most invalid places of a request that one response lists. */
export const LISTED_ERRORS_MAX_COUNT = 20
/** The longest path or message of a listed place, in UTF-16 code units. Clients choose the names of fields in paths. */
const LISTED_TEXT_MAX_LENGTH = 200

const shortened = (text: string): string =>
  text.length <= LISTED_TEXT_MAX_LENGTH ? text : `${text.slice(0, LISTED_TEXT_MAX_LENGTH - 1).toWellFormed()}…`

export class InvalidRequest extends failure<InvalidRequest>()("InvalidRequest", DetailAndPlaces, {
  status: 400,
  code: "invalid_request",
  title: "The request is not valid",
  when: `A field is missing, malformed, out of bounds or unknown, or the body cannot be read. \`errors\` lists the first ${LISTED_ERRORS_MAX_COUNT} places, of a large body only the first.`,
  example: {
    detail: "settings.prompt: Expected a string",
    errors: [{ path: "settings.prompt", message: "Expected a string" }],
  },
}) {
  /** An invalid request with one invalid place, named by its path in the request. */
  static at(path: string, message: string): InvalidRequest {
    return InvalidRequest.of([{ path, message }])
  }

  /**
   * An invalid request with these invalid places. It lists the first of them, and `detail` says how many others there
   * are, or that there may be others when `isComplete` is false.
   */
  static of(found: typeof PlaceErrors.Type, isComplete = true): InvalidRequest {
    const errors = found
      .slice(0, LISTED_ERRORS_MAX_COUNT)
      .map(({ path, message }) => ({ path: shortened(path), message: shortened(message) }))
    const [first] = errors
    const detail = first === undefined ? "The request is not valid." : `${first.path}: ${first.message}`
    const others = found.length - errors.length
    if (others > 0) return new InvalidRequest({ detail: `${detail} (and ${others} more that are not listed)`, errors })
    return new InvalidRequest({
      detail: isComplete ? detail : `${detail} (there may be more that are not listed)`,
      errors,
    })
  }
}

export class UnsupportedVersion extends failure<UnsupportedVersion>()("UnsupportedVersion", DetailAndPlaces, {
  status: 400,
  code: "unsupported_version",
  title: "Interface version not supported",
  when: "`Accept-Version` or `X-Api-Version` is not `1`, `1.0` or `1.0.0`. Send one of these, or omit the header.",
  example: {
    detail: "This server speaks version 1.0.0.",
    errors: [{ path: "header.accept-version", message: "Expected 1, 1.0 or 1.0.0" }],
  },
}) {}

export class Unauthorized extends failure<Unauthorized>()("Unauthorized", Detail, {
  status: 401,
  code: "unauthorized",
  title: "API key missing or not valid",
  when: "It is missing, malformed, unknown, expired or revoked; the server does not say which.",
  example: { detail: "Send a valid API key as `x-api-key`, or as `Authorization: Bearer`." },
  openAi: { code: "invalid_api_key" },
}) {}

export class Forbidden extends failure<Forbidden>()("Forbidden", Detail, {
  status: 403,
  code: "forbidden",
  title: "Not allowed",
  when: "The API key, or the person's roles, lack the scope in `detail`, are for another chatbot, or would give more than they have; or a publishable key does not allow the request's origin.",
  example: { detail: "This API key lacks the scope chatbots:write." },
  openAi: { code: "insufficient_permissions" },
}) {}

export class NotFound extends failure<NotFound>()("NotFound", Detail, {
  status: 404,
  code: "not_found",
  title: "Not found",
  when: "The object does not exist, or belongs to another organization.",
  example: { detail: "There is no such chatbot." },
  openAi: { code: "model_not_found" },
}) {}

export class MethodNotAllowed extends failure<MethodNotAllowed>()("MethodNotAllowed", Detail, {
  status: 405,
  code: "method_not_allowed",
  title: "Method not allowed",
  when: "The header `Allow` lists the methods of the path.",
  example: { detail: "PUT is not possible here. Possible: GET, HEAD." },
}) {}

export class RequestTimeout extends failure<RequestTimeout>()("RequestTimeout", Detail, {
  status: 408,
  code: "request_timeout",
  title: "The body did not arrive in time",
  when: "JSON has to arrive within some seconds, and an upload at 4 KiB a second. The connection is closed.",
  isRetryable: true,
  example: { detail: "The body: nothing of it arrived for 20 seconds." },
}) {}

export class SlugTaken extends failure<SlugTaken>()("SlugTaken", Detail, {
  status: 409,
  code: "slug_taken",
  title: "Slug already in use",
  when: "Another chatbot of the organization has it. Choose another, or omit it to get a free one.",
  example: { detail: "Another chatbot of the organization has this slug." },
}) {}

export class Conflict extends failure<Conflict>()("Conflict", Detail, {
  status: 409,
  code: "conflict",
  title: "Not possible in the present state",
  when: "`detail` has the reason, such as another tool of the same name.",
  example: { detail: "Only a failed document can be tried again; this one is ready." },
}) {}

export class ChatbotInactive extends failure<ChatbotInactive>()("ChatbotInactive", Detail, {
  status: 409,
  code: "chatbot_inactive",
  title: "The chatbot is not active",
  when: "It refuses chats until `active` is true.",
  example: { detail: "This chatbot is not active: it does not answer until `active` is true again." },
}) {}

export class QuotaReached extends failure<QuotaReached>()("QuotaReached", Detail, {
  status: 409,
  code: "quota_reached",
  title: "The organization's quota is reached",
  when: "`detail` names the quota and its limit. Delete some objects, or ask the operator for more.",
  example: { detail: "The organization's quota of 1,000 chatbots is reached." },
}) {}

export class IdempotencyInProgress extends failure<IdempotencyInProgress>()("IdempotencyInProgress", DetailAndTime, {
  status: 409,
  code: "idempotency_in_progress",
  title: "The first request with this idempotency key is still running",
  when: "Repeat it later to get the first answer.",
  isRetryable: true,
  example: {
    detail: "The first request with this Idempotency-Key is still running.",
    retry_after_seconds: 1,
  },
}) {}

export class PreconditionFailed extends failure<PreconditionFailed>()("PreconditionFailed", Detail, {
  status: 412,
  code: "precondition_failed",
  title: "Changed since it was read",
  when: "`If-Match` is not the stored version. Send the change with the new `ETag`.",
  example: { detail: "The chatbot has changed since the version that If-Match names." },
}) {}

export class TooLarge extends failure<TooLarge>()("TooLarge", Detail, {
  status: 413,
  code: "too_large",
  title: "Too large",
  when: "The body, a file or the number of files. `detail` has the limit.",
  example: { detail: "handbook.pdf: at most 25 MiB." },
  openAi: { code: "request_too_large" },
}) {
  /** A failure because `what` has more bytes than `limit`, which `detail` shows in MiB or a unit that suits it. */
  static of(what: string, limit: number): TooLarge {
    return new TooLarge({ detail: `${what}: at most ${ByteSize.format(ByteSize.bytes(limit))}.` })
  }

  /** A failure because one upload has more files than `limit`. */
  static files(limit: number): TooLarge {
    return new TooLarge({ detail: `files: at most ${limit} ${limit === 1 ? "file" : "files"} in one upload.` })
  }
}

export class UnsupportedMediaType extends failure<UnsupportedMediaType>()("UnsupportedMediaType", Detail, {
  status: 415,
  code: "unsupported_media_type",
  title: "Media type not supported",
  when: "That of the body or of a file, or a file's extension is wrong. Nothing of the upload is kept.",
  example: {
    detail:
      "notes.exe: expected a file whose extension and content are one of md, txt, html, csv, json, pdf, docx, pptx, xlsx, epub, odt, ods, odp, rtf, xls, eml, msg, ipynb, xml, srt, vtt.",
  },
}) {}

export class UnreadableDocument extends failure<UnreadableDocument>()("UnreadableDocument", Detail, {
  status: 422,
  code: "unreadable_document",
  title: "The document cannot be read",
  when: "The replacement is damaged, protected or without text. The old content stays.",
  example: { detail: "scan.pdf: The document has no text." },
}) {}

export class UnsafeFile extends failure<UnsafeFile>()("UnsafeFile", Detail, {
  status: 422,
  code: "unsafe_file",
  title: "The file is refused",
  when: "An attachment is a PDF with [active content](inbox.md#attachments), or is damaged or protected, so that it cannot be examined. Nothing of it is kept.",
  example: {
    detail: "form.pdf: The PDF has scripts or files in it, starts programs, or opens addresses. Print it to a new PDF.",
  },
}) {}

export class IdempotencyKeyReused extends failure<IdempotencyKeyReused>()("IdempotencyKeyReused", Detail, {
  status: 422,
  code: "idempotency_key_reused",
  title: "The idempotency key belongs to another request",
  when: "Use a new key for every new request.",
  example: { detail: "This Idempotency-Key was sent with another request before." },
}) {}

export class RateLimited extends failure<RateLimited>()("RateLimited", DetailAndTime, {
  status: 429,
  code: "rate_limited",
  title: "Rate limit exceeded",
  when: "[Rate limit](keys-and-budgets.md#rate-limits) of the API key, its organization or the client's address.",
  isRetryable: true,
  example: { detail: "This API key may send 100 requests in 10 seconds.", retry_after_seconds: 3 },
  openAi: { code: "rate_limit_exceeded" },
}) {}

export class TooManyAtOnce extends failure<TooManyAtOnce>()("TooManyAtOnce", DetailAndTime, {
  status: 429,
  code: "too_many_at_once",
  title: "Too many requests of this kind at once",
  when: "The organization's [share](keys-and-budgets.md#shares) of uploads, searches, chats, streams or lists was used up.",
  isRetryable: true,
  example: {
    detail: "The organization has 8 uploads under way, as many as its share allows.",
    retry_after_seconds: 1,
  },
  openAi: { code: "rate_limit_exceeded" },
}) {}

export class TooManyRequests extends failure<TooManyRequests>()(
  "TooManyRequests",
  { ...DetailAndTime, ...Explained },
  {
    status: 429,
    code: "too_many_requests",
    title: "Too many requests",
    when: "The model's provider asks to slow down.",
    isRetryable: true,
    example: { detail: "The model provider asks to wait.", retry_after_seconds: 5 },
    openAi: { code: "rate_limit_exceeded" },
  },
) {}

export class BudgetSpent extends failure<BudgetSpent>()("BudgetSpent", DetailAndTime, {
  status: 429,
  code: "budget_spent",
  title: "The tokens of the day are spent",
  when: "The [budget](keys-and-budgets.md#budgets) of the organization or API key is used up until midnight, UTC, or reserved.",
  isRetryable: true,
  example: {
    detail: "The organization has spent its tokens for today; there are new ones at midnight, UTC.",
    retry_after_seconds: 35_000,
  },
  openAi: { type: "insufficient_quota", code: "insufficient_quota" },
}) {}

export class TooManyChats extends failure<TooManyChats>()("TooManyChats", DetailAndTime, {
  status: 429,
  code: "too_many_chats",
  title: "Too many chats at once",
  when: "The budget of the organization or API key allows no more.",
  isRetryable: true,
  example: { detail: "The API key has as many chats under way as it may have.", retry_after_seconds: 5 },
  openAi: { code: "rate_limit_exceeded" },
}) {}

export class InternalError extends failure<InternalError>()("InternalError", Detail, {
  status: 500,
  code: "internal_error",
  title: "Internal error",
  when: "The server's log has the reason, by `request_id`.",
  isRetryable: true,
  example: { detail: "The server failed. Its log has the reason under this request's id." },
}) {}

export class ProviderFailed extends failure<ProviderFailed>()(
  "ProviderFailed",
  { ...Detail, ...Explained },
  {
    status: 502,
    code: "provider_failed",
    title: "The model provider failed",
    when: "Its answer was a failure or not valid. The user's message is kept.",
    isRetryable: true,
    example: { detail: "The model provider failed." },
  },
) {}

export class Unavailable extends failure<Unavailable>()(
  "Unavailable",
  { ...DetailAndTime, ...Explained },
  {
    status: 503,
    code: "unavailable",
    title: "Not available right now",
    when: "The database, the disk or a provider cannot be reached, or the server is starting or stopping.",
    isRetryable: true,
    example: { detail: "The database cannot be reached right now.", retry_after_seconds: 2 },
  },
) {}

export class ProviderTimeout extends failure<ProviderTimeout>()(
  "ProviderTimeout",
  { ...Detail, ...Explained },
  {
    status: 504,
    code: "provider_timeout",
    title: "The model provider did not answer in time",
    when: "It may be overloaded. The user's message is kept.",
    isRetryable: true,
    example: { detail: "The model did not answer in time." },
  },
) {}

/** The class of every failure, by its tag. */
export const failures = {
  InvalidRequest,
  UnsupportedVersion,
  Unauthorized,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  RequestTimeout,
  SlugTaken,
  Conflict,
  ChatbotInactive,
  QuotaReached,
  IdempotencyInProgress,
  PreconditionFailed,
  TooLarge,
  UnsupportedMediaType,
  UnreadableDocument,
  UnsafeFile,
  IdempotencyKeyReused,
  RateLimited,
  TooManyAtOnce,
  TooManyRequests,
  BudgetSpent,
  TooManyChats,
  InternalError,
  ProviderFailed,
  Unavailable,
  ProviderTimeout,
}

/** Any failure that a client can meet. */
export type Failure = InstanceType<(typeof failures)[keyof typeof failures]>

/** The declaration of a failure's class. */
export const declarationOf = ({ _tag }: Failure): Declaration => failures[_tag].declaration

/** Whether a value is a failure that a client can meet. */
export const isFailure = <A>(value: A): value is A & Failure =>
  Object.values(failures).some((failure) => value instanceof failure)
