import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { Caller } from "../../domain/Caller.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { Page } from "../../domain/Page.ts"
import { dayAt, dayNumber, USAGE_DAYS_MAX, type UsageGroup } from "../../domain/organizations/Usage.ts"
import { Budgets } from "../../storage/usage/Budgets.ts"
import * as Storage from "../../storage/usage/Usage.ts"
import { regularly } from "../../system/Background.ts"

export interface UsageSettings {
  /** Days for which usage is kept. */
  readonly retentionDays: number
}

export interface UsageRequest {
  /** The first day, UTC, such as `2027-12-31`. The default is 29 days before the last. */
  readonly from?: string | undefined
  /** The last day, UTC. The default is today. */
  readonly to?: string | undefined
  readonly groups: ReadonlyArray<UsageGroup>
  readonly page: Page
}

const DEFAULT_DAYS = 30
/** Entries count even before they are folded into days, so the interval only keeps their number small. */
const FOLD_INTERVAL = Duration.seconds(10)
const FORGET_INTERVAL = Duration.hours(1)

/** Reports the tokens that the chats of an organization have used. */
export class Usage extends Context.Service<Usage>()("parley/services/organizations/Usage", {
  make: ({ retentionDays }: UsageSettings) =>
    Effect.gen(function* () {
      const storage = yield* Storage.Usage
      const budgets = yield* Budgets

      const warning = "Usage could not be counted"
      const forget = Effect.andThen(storage.forget(retentionDays), budgets.drop("expired"))
      yield* Effect.forkScoped(regularly(FOLD_INTERVAL, warning, storage.fold))
      yield* Effect.forkScoped(regularly(FORGET_INTERVAL, warning, forget))

      return {
        /**
         * Returns the usage of the organization, or of a single chatbot if the caller's key is bound to it, with the
         * first and the last day that it covers.
         */
        read: Effect.fn("Usage.read")(function* ({ from, to, groups, page }: UsageRequest) {
          const { chatbotId } = yield* Caller
          const last = to ?? DateTime.formatIsoDateUtc(yield* DateTime.now)
          const first = from ?? dayAt(dayNumber(last) - DEFAULT_DAYS + 1)
          const days = dayNumber(last) - dayNumber(first) + 1
          if (days < 1) return yield* InvalidRequest.at("query.to", "Expected a day that is not before `from`")
          if (days > USAGE_DAYS_MAX) {
            return yield* InvalidRequest.at("query.from", `Expected at most ${USAGE_DAYS_MAX} days up to \`to\``)
          }
          const found = yield* storage.read({ from: first, to: last, groups, chatbot: chatbotId ?? undefined, page })
          return { from: first, to: last, ...found }
        }),
      }
    }),
}) {
  /** Folds entries into days, and deletes old ones, in the background as long as the layer lives. */
  static readonly layer = (settings: UsageSettings) => Layer.effect(this, this.make(settings))
}
