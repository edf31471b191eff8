import { ByteSize, Schema } from "effect"

/*
 * Every failure that a client can meet: one class each, with the status it is answered with and a stable code.
 * `detail` is shown to the client, so it never holds secrets or internals. `api/Problem.ts` gives them their
 * RFC 9457 form.
 */

const Detail = { detail: Schema.String }

/** Most places of a request that one answer lists as wrong. */
export const listedErrorsMaxCount = 20
/** Longest path or message of a listed place, in UTF-16 code units: callers choose the names of fields. */
const listedTextMaxLength = 200

const PlaceErrors = Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))

const shortened = (text: string): string =>
  text.length <= listedTextMaxLength ? text : `${text.slice(0, listedTextMaxLength - 1).toWellFormed()}…`

/** 400: the request is malformed or breaks a documented bound. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()(
  "InvalidRequest",
  {
    ...Detail,
    errors: PlaceErrors,
  },
  { httpApiStatus: 400 },
) {
  /** One offending place, named by its path in the request. */
  static at(path: string, message: string): InvalidRequest {
    return InvalidRequest.of([{ path, message }])
  }

  /** All offending places that were found: the first of them are listed, and the number of the others is told. */
  static of(found: typeof PlaceErrors.Type, isComplete = true): InvalidRequest {
    const errors = found
      .slice(0, listedErrorsMaxCount)
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

/** 400: the request asks for an interface version that this server does not speak. */
export class UnsupportedVersion extends Schema.TaggedError<UnsupportedVersion>()(
  "UnsupportedVersion",
  { ...Detail, errors: PlaceErrors },
  { httpApiStatus: 400 },
) {}

/** 401: the API key is missing, malformed, unknown, expired or revoked. Which of them is not told. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", Detail, { httpApiStatus: 401 }) {}

/** 403: the key is good, but it lacks the scope, or is bound to another chatbot. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", Detail, { httpApiStatus: 403 }) {}

/** 404: no such thing, or it belongs to another organization: the two cannot be told apart. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", Detail, { httpApiStatus: 404 }) {}

/** 405: the path exists, the method does not. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", Detail, {
  httpApiStatus: 405,
}) {}

/** 408: the body did not arrive in time. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("RequestTimeout", Detail, {
  httpApiStatus: 408,
}) {}

/** 409: another chatbot of the organization has the slug. */
export class SlugTaken extends Schema.TaggedError<SlugTaken>()("SlugTaken", Detail, { httpApiStatus: 409 }) {}

/** 409: the state of the thing does not allow the action. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", Detail, { httpApiStatus: 409 }) {}

/** 409: the chatbot is not active, so it does not answer. */
export class ChatbotInactive extends Schema.TaggedError<ChatbotInactive>()("ChatbotInactive", Detail, {
  httpApiStatus: 409,
}) {}

/** 412: `If-Match` names another version than the stored one. */
export class PreconditionFailed extends Schema.TaggedError<PreconditionFailed>()("PreconditionFailed", Detail, {
  httpApiStatus: 412,
}) {}

/** 413: the body, a file or the number of files is over its limit. */
export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", Detail, { httpApiStatus: 413 }) {
  /** What is too large, and the bytes that it may have, told in MiB or the unit that suits them. */
  static of(what: string, limit: number): TooLarge {
    return new TooLarge({ detail: `${what}: at most ${ByteSize.format(ByteSize.bytes(limit))}.` })
  }

  /** More files in one upload than there may be. */
  static files(limit: number): TooLarge {
    return new TooLarge({ detail: `files: at most ${limit} ${limit === 1 ? "file" : "files"} in one upload.` })
  }
}

/** 415: a file or a body of a kind that is not taken here. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", Detail, {
  httpApiStatus: 415,
}) {}

/** 422: the document was received but cannot be read. */
export class UnreadableDocument extends Schema.TaggedError<UnreadableDocument>()("UnreadableDocument", Detail, {
  httpApiStatus: 422,
}) {}

/** 429: too many at once; try again after `retry_after_seconds`. */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()(
  "TooManyRequests",
  { ...Detail, retry_after_seconds: Schema.Int },
  { httpApiStatus: 429 },
) {}

/** 429: the organization or the key has spent its tokens of the day. */
export class BudgetSpent extends Schema.TaggedError<BudgetSpent>()(
  "BudgetSpent",
  { ...Detail, retry_after_seconds: Schema.Int },
  { httpApiStatus: 429 },
) {}

/** 429: the organization or the key has as many chats under way as it may have. */
export class TooManyChats extends Schema.TaggedError<TooManyChats>()(
  "TooManyChats",
  { ...Detail, retry_after_seconds: Schema.Int },
  { httpApiStatus: 429 },
) {}

/** 500: a fault of ours. The log has it under the request id; the answer says nothing of it. */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", Detail, {
  httpApiStatus: 500,
}) {}

/** 502: the model provider answered with a failure, or with what it should not. */
export class ProviderFailed extends Schema.TaggedError<ProviderFailed>()("ProviderFailed", Detail, {
  httpApiStatus: 502,
}) {}

/** 503: the database or the provider cannot be reached, or the server is draining. */
export class Unavailable extends Schema.TaggedError<Unavailable>()(
  "Unavailable",
  { ...Detail, retry_after_seconds: Schema.Int },
  { httpApiStatus: 503 },
) {}

/** 504: the provider did not answer within the deadline. */
export class ProviderTimeout extends Schema.TaggedError<ProviderTimeout>()("ProviderTimeout", Detail, {
  httpApiStatus: 504,
}) {}
