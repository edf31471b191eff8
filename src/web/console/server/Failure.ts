import { signal } from "@preact/signals"
import { fieldsIn, isFields, textIn } from "./Unknown.ts"

/** A place of a request that is wrong, by its path, such as `settings.model`. */
export interface Refusal {
  readonly path: string
  readonly message: string
}

/** Why a language model has not answered, in the words of its provider, and what to do. */
export interface Explanation {
  readonly reason: string
  readonly advice: string
}

/** Reads an explanation; undefined where there is none. */
export const explanationIn = (value: unknown): Explanation | undefined => {
  const { advice, reason } = fieldsIn(value)
  return typeof reason === "string" && typeof advice === "string" ? { advice, reason } : undefined
}

/** A request that failed, in words for people. Its fields are those of the API's problems. */
export class Failure extends Error {
  override readonly name = "Failure"
  /** The HTTP status; 0 when no answer came. */
  readonly status: number = 0
  /** The stable code of the problem; `network` when no answer came, `aborted` when the request was given up. */
  readonly code: string = "unexpected"
  readonly errors: ReadonlyArray<Refusal> = []
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly explanation: Explanation | undefined

  constructor(detail: string, facts: Partial<Omit<Failure, keyof Error>>) {
    super(detail)
    Object.assign(this, facts)
  }
}

const text = (value: unknown): string | undefined => textIn(value) || undefined

/** Whether the reader runs the server, and can change its settings. */
export const isOperator = signal(false)

/** A message in which sentences on the server's settings (`howToSet`) tell others than its operator whom to ask. */
export const forReader = (message: string): string =>
  isOperator.value
    ? message
    : message.replaceAll(/(To [^"]*?), set [^"]*? then start Parley again\./g, "$1, ask whoever runs this server.")

const places = (value: unknown): ReadonlyArray<Refusal> =>
  Array.isArray(value)
    ? value
        .filter(isFields)
        .map(({ message, path }) => ({ path: text(path) ?? "", message: forReader(text(message) ?? "") }))
    : []

const plainWords = (status: number): string => {
  if (status === 413) return "The upload is larger than a proxy in front of the server accepts."
  if (status === 502 || status === 503 || status === 504) return "The server cannot be reached at the moment."
  return status >= 500 ? "The server failed to answer." : `The server refused the request (${status}).`
}

/** Reads a failure from the body of a response, which may be of somebody else, such as a proxy. */
export const failureOf = (status: number, body: unknown, retryAfter?: string | null): Failure => {
  const answer = fieldsIn(body)
  const problem = isFields(answer["error"]) ? answer["error"] : answer
  const seconds = Number(retryAfter ?? problem["retry_after_seconds"] ?? Number.NaN)
  return new Failure(forReader(text(problem["detail"]) ?? text(problem["message"]) ?? plainWords(status)), {
    status,
    code: text(problem["code"]) ?? `http_${status}`,
    errors: places(problem["errors"]),
    requestId: text(problem["request_id"]),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    explanation: explanationIn(problem["explanation"]),
  })
}

export const unreachable = (): Failure =>
  new Failure("The server cannot be reached. Check your connection; nothing you wrote is lost.", {
    code: "network",
  })

export const toFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error
  if (error instanceof DOMException && error.name === "AbortError")
    return new Failure("The request was cancelled.", { code: "aborted" })
  const reason = error instanceof Error ? error.message : String(error)
  return new Failure(`Something went wrong on this page: ${reason}`, {})
}

/** The name of a field for people, by its path: `settings.startCall` is `Start call`. */
export const nameOfField = (path: string): string => {
  const words = (path.split(".").at(-1) ?? path).replaceAll("_", " ").replaceAll(/([a-z])([A-Z])/g, "$1 $2")
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}

/** The message about a field, or about a place within it, which the message then names. */
export const messageAt = (errors: ReadonlyArray<Refusal>, field: string): string | undefined => {
  const found = errors.find(({ path }) => path === field || path.startsWith(`${field}.`))
  if (found === undefined) return undefined
  const place = found.path.slice(field.length + 1)
  if (place === "") return found.message
  return `${/^\d+$/.test(place) ? `Line ${Number(place) + 1}` : place}: ${found.message}`
}
