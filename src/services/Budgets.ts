import { Context, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { isUnlimited, type Limits, limitsOf, secondsToMidnight } from "../domain/Budget.ts"
import { Caller } from "../domain/Caller.ts"
import { BudgetSpent, TooManyChats, type Unavailable } from "../domain/Errors.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { tokensAtMost } from "../domain/chat/Tokens.ts"
import * as Storage from "../storage/Budgets.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

export interface BudgetSettings {
  /** Where nothing is set for an organization, or for a key. */
  readonly organization: Limits
  readonly key: Limits
  /** Tokens of one model call's answer, at most. */
  readonly outputMax: number
  /** The longest that one reply takes. */
  readonly replyDeadline: Duration.Duration
}

/** What a reply may take beyond its deadline, to be stored. */
const LEASE_GRACE = Duration.seconds(30)
/** What a client is told to wait for a chat that is under way to end. */
const RETRY_SOON_SECONDS = 5

/** Budgets of organizations and keys: who may chat now. */
export class Budgets extends Context.Service<
  Budgets,
  {
    /**
     * Runs a chat within the caller's budgets: a place and the tokens that the first model call may take are its own
     * until it ends. `texts` is what the model will be shown. Without a budget it is just run.
     */
    readonly within: (
      texts: () => ReadonlyArray<string>,
    ) => <A, E, R>(
      chat: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | BudgetSpent | TooManyChats | Unavailable, R | Caller | CurrentOrganization>
  }
>()("parley/services/Budgets") {
  static readonly layer = (settings: BudgetSettings) =>
    Layer.effect(
      Budgets,
      Effect.gen(function* () {
        const storage = yield* Storage.Budgets
        const random = yield* SecureRandom.SecureRandom
        const lease = Duration.sum(settings.replyDeadline, LEASE_GRACE)
        if ((yield* DatabaseTraits).isAlone) yield* storage.drop("all")

        const reserve = Effect.fnUntraced(function* (request: Omit<Storage.Reservation, "id" | "lease">) {
          const id = yield* random.uuidV7()
          const refusal = yield* storage.reserve({ id, lease, ...request })
          return refusal === undefined ? id : yield* failureOf(refusal)
        })

        const within =
          (texts: () => ReadonlyArray<string>) =>
          <A, E, R>(chat: Effect.Effect<A, E, R>) =>
            Caller.use(
              ({
                apiKeyId,
                budgets,
              }): Effect.Effect<A, E | BudgetSpent | TooManyChats | Unavailable, R | CurrentOrganization> => {
                const organization = limitsOf(budgets.organization, settings.organization)
                const key = limitsOf(budgets.key, settings.key)
                if (isUnlimited(organization) && isUnlimited(key)) return chat
                const tokens = tokensAtMost(texts()) + settings.outputMax
                return Effect.acquireUseRelease(
                  reserve({ apiKeyId, tokens, organization, key }),
                  () => chat,
                  // What is not released now expires.
                  (id) => Effect.ignore(storage.release(id)),
                )
              },
            )

        return { within }
      }),
    )
}

const owners = { organization: "organization", key: "API key" }

const failureOf = ({ at, refusal, whose }: Storage.Refusal): BudgetSpent | TooManyChats => {
  const owner = owners[whose]
  switch (refusal) {
    case "concurrent_chats":
      return new TooManyChats({
        detail: `The ${owner} has as many chats under way as it may have.`,
        retry_after_seconds: RETRY_SOON_SECONDS,
      })
    case "reserved":
      return new BudgetSpent({
        detail: `What is left of the ${owner}'s tokens for today is reserved by chats under way.`,
        retry_after_seconds: RETRY_SOON_SECONDS,
      })
    case "spent":
      return new BudgetSpent({
        detail: `The ${owner} has spent its tokens for today; there are new ones at midnight, UTC.`,
        retry_after_seconds: secondsToMidnight(at.getTime()),
      })
  }
}
