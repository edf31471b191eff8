import { fieldsIn, isFields, textIn } from "./Unknown.ts"

/** A request that failed, in words for people. Its fields are those of the API's problems. */
export class Failure extends Error {
  override readonly name = "Failure"
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  /** The stable code of the problem; `network` when no answer came, `aborted` when the request was given up. */
  readonly code: string
  /** The places of the request that are wrong, by their path, such as `settings.model`. */
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(fields: {
    readonly status: number
    readonly code: string
    readonly detail: string
    readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }> | undefined
    readonly requestId?: string | undefined
    readonly retryAfterSeconds?: number | undefined
  }) {
    super(fields.detail)
    this.status = fields.status
    this.code = fields.code
    this.errors = fields.errors ?? []
    this.requestId = fields.requestId
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}

const text = (value: unknown): string | undefined => textIn(value) || undefined

const places = (value: unknown): Failure["errors"] =>
  Array.isArray(value)
    ? value.filter(isFields).map(({ message, path }) => ({ path: text(path) ?? "", message: text(message) ?? "" }))
    : []

/** Sentences for answers that are no problem of ours, such as those of a proxy. */
const plainWords = (status: number): string => {
  if (status === 413) return "That is larger than a server on the way accepts."
  if (status === 502 || status === 503 || status === 504) return "The server is not reachable at the moment."
  if (status >= 500) return "The server failed to answer."
  return `The server refused the request (${status}).`
}

/** Reads a failure from the body of a response, which may be of somebody else, such as a proxy. */
export const failureOf = (status: number, body: unknown, retryAfter?: string | null): Failure => {
  const answer = fieldsIn(body)
  const problem = isFields(answer["error"]) ? answer["error"] : answer
  const seconds = Number(retryAfter ?? problem["retry_after_seconds"] ?? Number.NaN)
  return new Failure({
    status,
    code: text(problem["code"]) ?? `http_${status}`,
    detail: text(problem["detail"]) ?? text(problem["message"]) ?? plainWords(status),
    errors: places(problem["errors"]),
    requestId: text(problem["request_id"]),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  })
}

/** The failure of a request that got no answer at all. */
export const unreachable = (): Failure =>
  new Failure({
    status: 0,
    code: "network",
    detail: "The server cannot be reached. Check the connection; nothing that you wrote is lost.",
  })

/** Any thrown value as a failure. */
export const toFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error
  if (error instanceof DOMException && error.name === "AbortError")
    return new Failure({ status: 0, code: "aborted", detail: "The request was given up." })
  return new Failure({
    status: 0,
    code: "unexpected",
    detail: `Something went wrong in this page: ${error instanceof Error ? error.message : String(error)}`,
  })
}
