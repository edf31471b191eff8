import { Data, type Duration } from "effect"
import { retryAfterOf } from "../outbound/RetryAfter.ts"
import { EMBEDDINGS_API_KEY, EMBEDDINGS_BASE_URL } from "../system/Variables.ts"

/**
 * The failure of a request to an embedding provider.
 *
 * - `passing`: the same request may succeed later;
 * - `setting`: it cannot succeed before an operator corrects the server's settings or the account;
 * - `refused`: the provider refuses the texts, or its answer cannot be used.
 */
export class EmbeddingsFailure extends Data.TaggedError("EmbeddingsFailure")<{
  readonly kind: "passing" | "setting" | "refused"
  /** A sentence for people, without the provider's own words, which might reveal secrets. */
  readonly reason: string
  /** The wait that the provider asks for. */
  readonly retryAfter?: Duration.Duration
}> {}

export const unreachable = new EmbeddingsFailure({ kind: "passing", reason: "It cannot be reached." })
export const tooSlow = new EmbeddingsFailure({ kind: "passing", reason: "It does not answer in time." })
export const unusable = (what: string) =>
  new EmbeddingsFailure({ kind: "refused", reason: `Its answer cannot be used: ${what}.` })

/** The statuses below 500 of failures that pass. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** The failure of a response without status 200. `now` is in milliseconds since the epoch. */
export const failureOfStatus = (status: number, headers: Headers, now: number, hasKey: boolean): EmbeddingsFailure => {
  const retryAfter = retryAfterOf((name) => headers.get(name) ?? undefined, now)
  if (status === 401) {
    return setting(
      hasKey
        ? `It refuses the key in ${EMBEDDINGS_API_KEY} (401).`
        : `It wants a key, and ${EMBEDDINGS_API_KEY} is not set (401).`,
    )
  }
  if (status === 402 || status === 403) return setting(`It does not let this account use the model (${status}).`)
  if (status === 404 || status === 405) {
    return setting(`It does not know the model, or there is no such interface at ${EMBEDDINGS_BASE_URL} (${status}).`)
  }
  return new EmbeddingsFailure({
    kind: PASSING.has(status) || status >= 500 ? "passing" : "refused",
    reason: status === 429 ? "Its rate limit is reached (429)." : `It answers with status ${status}.`,
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

const setting = (reason: string) => new EmbeddingsFailure({ kind: "setting", reason })
