import { Duration, Schema } from "effect"
import { retryAfterOf } from "../../outbound/RetryAfter.ts"
import { knownWords } from "../../system/SystemError.ts"
import { S3_ACCESS_KEY_ID, S3_BUCKET, S3_ENDPOINT, S3_REGION, S3_SECRET_ACCESS_KEY } from "../../system/Variables.ts"
import type { S3Settings } from "./S3Settings.ts"
import { parseReply } from "./Replies.ts"

/** A request to the store that did not succeed. */
export class S3Failure extends Schema.TaggedError<S3Failure>()("S3Failure", {
  /** The status of the answer; undefined when there is none. */
  status: Schema.UndefinedOr(Schema.Int),
  /** The store's code of the error, such as `NoSuchKey`; empty when it gave none. */
  code: Schema.String,
  /** Problem, in words for operators. */
  what: Schema.String,
  /** Remedy for operators; undefined when the problem may pass by itself. */
  doThis: Schema.UndefinedOr(Schema.String),
  /** Time that the store asks to wait, in milliseconds. */
  retryAfter: Schema.Finite,
}) {
  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.doThis === undefined
  }
}

/** Codes of answers to requests that were disturbed on their way, which come with statuses of clients' faults. */
const DISTURBED: ReadonlySet<string> = new Set([
  "BadDigest",
  "ConditionalRequestConflict",
  "IncompleteBody",
  "InvalidDigest",
  "OperationAborted",
  "RequestTimeout",
  "SlowDown",
  "XAmzContentSHA256Mismatch",
])

/** The difference of clocks from which on requests are refused for it. */
const SKEW_MAX = Duration.minutes(5)

const failureOf = (what: string, rest: Partial<Pick<S3Failure, "status" | "code" | "doThis" | "retryAfter">> = {}) =>
  new S3Failure({ status: undefined, code: "", doThis: undefined, retryAfter: 0, ...rest, what })

/** The store gave no answer, or cut it off. */
export const unreachable = (settings: S3Settings, error: unknown): S3Failure =>
  failureOf(`The S3 server at ${settings.endpoint} cannot be reached: ${wordsOf(error)}.`)

/** The words for errors of connections, whose codes are partly Bun's own. */
const wordsOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (/ConnectionRefused|FailedToOpenSocket/.test(code)) return "nothing listens there"
  if (/ConnectionClosed/.test(code)) return "the connection was cut off"
  return knownWords(error) ?? (error instanceof Error ? error.message : String(error))
}

/** The store was silent for too long. */
export const silent = (settings: S3Settings, after: Duration.Duration): S3Failure =>
  failureOf(`The S3 server at ${settings.endpoint} did not answer within ${Duration.toSeconds(after)} s.`)

/** Failure of a read whose content is not what was stored, or is only a part of it. */
export const damaged = (key: string): S3Failure =>
  failureOf(`The file ${key} is not what was stored.`, { code: "Damaged" })

/** The store does not go on with a download that was cut off. */
export const notResumed = (key: string): S3Failure =>
  failureOf(`The file ${key} cannot be read from its middle on.`, { code: "NotResumed" })

export const isDamaged = ({ code }: S3Failure): boolean => code === "Damaged"
export const isNotResumed = ({ code }: S3Failure): boolean => code === "NotResumed"

export const isMissing = ({ code, status }: S3Failure): boolean => status === 404 && code !== "NoSuchBucket"

/** The failure that an answer of the store says. `now` is the time of this machine. */
export const failureOfAnswer = (
  settings: S3Settings,
  { headers, status }: Pick<Response, "headers" | "status">,
  body: string,
  now: number,
): S3Failure => {
  const reply = parseReply(body)
  const code = reply.text("Code")
  const retryAfter = Duration.toMillis(retryAfterOf((name) => headers.get(name), now) ?? Duration.zero)
  const fail = (what: string, doThis?: string) => failureOf(what, { status, code, retryAfter, doThis })
  const { bucket, endpoint, region } = settings
  if (status >= 500 || status === 408 || status === 429 || DISTURBED.has(code)) {
    return fail(`The S3 server at ${endpoint} answered with ${status} ${code}.`)
  }
  if (code === "NoSuchKey") return fail(`${status} ${code}`, "")
  const skew = skewOf(headers, now)
  if (code === "RequestTimeTooSkewed" || (status === 403 && skew > Duration.toMillis(SKEW_MAX))) {
    return fail(
      `The clocks of this machine and of the S3 server at ${endpoint} differ by ${Math.round(skew / 1_000)} s, so that it refuses requests.`,
      "Set the clock of this machine.",
    )
  }
  const actual = headers.get("x-amz-bucket-region") ?? reply.text("Region")
  if (status === 301 || status === 307 || code === "AuthorizationHeaderMalformed" || code === "PermanentRedirect") {
    return fail(
      actual === "" || actual === region
        ? `The bucket ${bucket} is not at ${endpoint}, or not in the region ${region}.`
        : `The bucket ${bucket} is in the region ${actual}, and not in ${region}.`,
      `Set ${S3_REGION} and ${S3_ENDPOINT} to those of the bucket.`,
    )
  }
  switch (code) {
    case "NoSuchBucket":
      return fail(`There is no bucket ${bucket} at ${endpoint}.`, `Create it, or set ${S3_BUCKET} to one that exists.`)
    case "InvalidAccessKeyId":
      return fail(`The S3 server at ${endpoint} does not know the access key.`, MEND_KEY)
    case "SignatureDoesNotMatch":
      return fail(
        `The S3 server at ${endpoint} refuses the signature: the secret does not belong to the access key, or the region is not ${region}.`,
        MEND_KEY,
      )
    case "ExpiredToken":
    case "InvalidToken":
    case "TokenRefreshRequired":
      return fail(`The S3 server at ${endpoint} takes the access key for a temporary one, which has to last.`, MEND_KEY)
  }
  return status === 403 || status === 401
    ? fail(
        `The access key may not use the bucket ${bucket} at ${endpoint}.`,
        "Let it list the bucket, and read, write and delete its objects.",
      )
    : fail(
        `The S3 server at ${endpoint} answered with ${status} ${code}, which was not expected.`,
        `Set ${S3_ENDPOINT} to the address of an S3 server.`,
      )
}

const MEND_KEY = `Set ${S3_ACCESS_KEY_ID} and ${S3_SECRET_ACCESS_KEY}.`

/** The milliseconds by which the store's clock differs from `now`; 0 when an answer does not tell its time. */
export const skewOf = (headers: Headers, now: number): number => {
  const theirs = Date.parse(headers.get("date") ?? "")
  return Number.isNaN(theirs) ? 0 : Math.abs(theirs - now)
}
