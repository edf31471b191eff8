import { Data, type Duration } from "effect"
import { retryAfterOf } from "../outbound/RetryAfter.ts"
import { EMBEDDINGS_API_KEY, EMBEDDINGS_BASE_URL, EMBEDDINGS_DIMENSIONS } from "../system/Variables.ts"
import { PASSING_WORDS, type RefusedPart, refusedPart } from "./Refusals.ts"

/**
 * The failure of a request to an embedding provider.
 *
 * - `passing`: the same request may succeed later;
 * - `setting`: it cannot succeed before an operator corrects the server's settings or the account;
 * - `refused`: the provider refuses the texts, or its answer cannot be used.
 */
export class EmbeddingsFailure extends Data.TaggedError("EmbeddingsFailure")<{
  readonly kind: "passing" | "setting" | "refused"
  /** A sentence for people, with what the provider says, without keys. */
  readonly reason: string
  /** The wait that the provider asks for. */
  readonly retryAfter?: Duration.Duration
  /** The status of the answer. Absent where there was none, or where its vectors cannot be used. */
  readonly status?: number
  /** The part of the request that the provider refuses, where its words tell. */
  readonly refused?: RefusedPart | undefined
}> {}

export const unreachable = new EmbeddingsFailure({ kind: "passing", reason: "It cannot be reached." })
export const tooSlow = new EmbeddingsFailure({ kind: "passing", reason: "It does not answer in time." })
export const unusable = (what: string) =>
  new EmbeddingsFailure({ kind: "refused", reason: `Its answer cannot be used: ${what}.` })

/** The statuses below 500 of failures that pass. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** What is known of an answer without vectors. */
interface Refusal {
  readonly status: number
  readonly headers: Headers
  /** What the provider says, without keys; empty where it says nothing. */
  readonly said: string
  readonly hasKey: boolean
  readonly hasDimensions: boolean
}

/** The failure of an answer without vectors. `now` is in milliseconds since the epoch. */
export const failureOf = ({ hasDimensions, hasKey, headers, said, status }: Refusal, now: number) => {
  const retryAfter = retryAfterOf((name) => headers.get(name) ?? undefined, now)
  const words = said === "" ? "" : ` It says: ${said}${/[.!?…]$/u.test(said) ? "" : "."}`
  const failure = (kind: EmbeddingsFailure["kind"], reason: string, refused?: RefusedPart) =>
    new EmbeddingsFailure({
      kind,
      reason: `${reason}${words}`,
      status,
      refused,
      ...(retryAfter !== undefined && kind === "passing" && { retryAfter }),
    })
  if (status === 401) {
    return failure(
      "setting",
      hasKey
        ? `It refuses the key in ${EMBEDDINGS_API_KEY} (401).`
        : `It wants a key, and ${EMBEDDINGS_API_KEY} is not set (401).`,
    )
  }
  if (status === 402 || status === 403) {
    return failure("setting", `It does not let this account use the model (${status}).`)
  }
  if (status === 404 || status === 405) {
    return failure(
      "setting",
      `It does not know the model, or there is no such interface at ${EMBEDDINGS_BASE_URL} (${status}).`,
    )
  }
  const refused = refusedPart(status, said)
  if (refused?.part === "dimensions" && hasDimensions) {
    return failure("setting", `It does not take ${EMBEDDINGS_DIMENSIONS}: correct or remove it.`)
  }
  const isPassing = PASSING.has(status) || (status >= 500 && refused === undefined)
  return failure(
    isPassing || (status === 200 && PASSING_WORDS.test(said)) ? "passing" : "refused",
    status === 429 ? "Its rate limit is reached (429)." : `It answers with status ${status} and no vectors.`,
    refused,
  )
}
