import { Context, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { isUnlimited, type Limits, limitsOf, noLimits, secondsToMidnight } from "../domain/organizations/Budget.ts"
import { Caller } from "../domain/Caller.ts"
import { BudgetSpent, TooManyChats, type Unavailable } from "../domain/Errors.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { tokensAtMost } from "../domain/chat/Tokens.ts"
import * as Storage from "../storage/usage/Budgets.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

export interface BudgetSettings {
  /** Limits of an API key that has no budget of its own. */
  readonly key: Limits
  /** Most output tokens of one model call. */
  readonly outputMax: number
  /** Longest time of one reply. */
  readonly replyDeadline: Duration.Duration
}

/** Time that a reservation outlives the deadline of its reply, in which the reply is stored. */
const LEASE_GRACE = Duration.seconds(30)
/** `Retry-After` when a running chat has to end first. */
const RETRY_SOON_SECONDS = 5

/**
 * Enforces the budgets of organizations and API keys. What a reply used is counted where it is stored, by an entry of
 * `storage/Usage`; the comparison is that of the SQL function `reserve_chat` (`sql/functions/usage.sql`).
 */
export class Budgets extends Context.Service<Budgets>()("parley/admission/Budgets", {
  make: (settings: BudgetSettings) =>
    Effect.gen(function* () {
      const storage = yield* Storage.Budgets
      const random = yield* SecureRandom.SecureRandom
      const lease = Duration.sum(settings.replyDeadline, LEASE_GRACE)
      if ((yield* DatabaseTraits).isAlone) yield* storage.drop("all")

      const reserve = Effect.fnUntraced(function* (request: Omit<Storage.Reservation, "id" | "lease">, key: string) {
        const id = storage.idOf(yield* random.uuidV7())
        const refusal = yield* storage.reserve({ id, lease, ...request })
        return refusal === undefined ? { id, ...request } : yield* failureOf(refusal, key)
      })

      return {
        /**
         * Runs a chat within the budgets of the caller's key and organization. Until the chat ends, it reserves one of
         * the concurrent chats and the tokens that its first model call may take; `texts` returns the prompt of that
         * call, and `more` the tokens of what is no text in it. A caller without a budget reserves nothing.
         */
        within:
          (texts: () => ReadonlyArray<string>, more = 0) =>
          <A, E, R>(chat: Effect.Effect<A, E, R>) =>
            Caller.use(
              ({
                apiKeyId,
                budgets,
                person,
              }): Effect.Effect<A, E | BudgetSpent | TooManyChats | Unavailable, R | CurrentOrganization> => {
                const organization = limitsOf(budgets.organization, noLimits)
                const key = limitsOf(budgets.key, settings.key)
                if (isUnlimited(organization) && isUnlimited(key)) return chat
                const tokens = tokensAtMost(texts()) + more + settings.outputMax
                return Effect.acquireUseRelease(
                  reserve(
                    { apiKeyId, tokens, organization, key },
                    person === undefined ? "The API key" : "Your account",
                  ),
                  () => chat,
                  // A reservation that cannot be released expires.
                  (reservation) => Effect.ignore(storage.release(reservation)),
                )
              },
            ),
      }
    }),
}) {
  static readonly layer = (settings: BudgetSettings) => Layer.effect(this, this.make(settings))
}

/** @param key words for the key that a budget of its own refuses */
const failureOf = ({ at, refusal, whose }: Storage.Refusal, key: string): BudgetSpent | TooManyChats => {
  const owner = whose === "organization" ? "The organization" : key
  switch (refusal) {
    case "concurrent_chats":
      return new TooManyChats({
        detail: `${owner} has as many chats under way as it may have.`,
        retry_after_seconds: RETRY_SOON_SECONDS,
      })
    case "reserved":
      return new BudgetSpent({
        detail: `${owner} has no tokens left for today but those that chats under way have reserved.`,
        retry_after_seconds: RETRY_SOON_SECONDS,
      })
    case "spent":
      return new BudgetSpent({
        detail: `${owner} has spent its tokens for today; there are new ones at midnight, UTC.`,
        retry_after_seconds: secondsToMidnight(at.getTime()),
      })
  }
}
