import { Context, Duration, Effect, Latch, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, OrganizationId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Chatbots } from "../storage/Chatbots.ts"
import { OrganizationRemains } from "../storage/OrganizationRemains.ts"

/** How often it is looked for what another process, or a crash, has left. */
const LOOK_EVERY = Duration.minutes(1)

/**
 * Deletes what deleted organizations own, in the background. Their keys are refused from the moment of the deletion on;
 * their files are swept away as any others that have no owner.
 */
export class OrganizationRemoval extends Context.Service<
  OrganizationRemoval,
  {
    /** Has it done soon, by whoever keeps doing it. Waits for nothing. */
    readonly want: Effect.Effect<void>
    /** All there is now. Takes as long as that takes. */
    readonly run: Effect.Effect<void, Unavailable>
    /** Does so whenever it is wanted, and from time to time. */
    readonly keep: Effect.Effect<never>
  }
>()("parley/services/OrganizationRemoval") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const remains = yield* OrganizationRemains
      const chatbots = yield* Chatbots
      const bell = yield* Latch.make(false)

      const removeChatbot = (id: ChatbotId) =>
        Effect.andThen(
          remains.emptyChatbot(id),
          // Another process may have been faster.
          Effect.catchTag(chatbots.remove(id), "NotFound", () => Effect.void),
        )

      const removeChatbots = Effect.fnUntraced(function* (organization: OrganizationId) {
        let some = yield* remains.chatbots(organization)
        while (some.length > 0) {
          yield* Effect.forEach(some, removeChatbot, { discard: true })
          some = yield* remains.chatbots(organization)
        }
      })

      const remove = Effect.fn("OrganizationRemoval.remove")(function* (organization: OrganizationId) {
        yield* remains.emptyOrganization(organization)
        yield* Effect.provideService(removeChatbots(organization), CurrentOrganization, organization)
        yield* remains.finish(organization)
      })

      const run = Effect.flatMap(remains.organizations, Effect.forEach(remove, { discard: true }))

      const keep = Effect.andThen(bell.close, run).pipe(
        Effect.catchCause((cause) => Effect.logWarning("What an organization owned was not deleted yet", cause)),
        Effect.andThen(Effect.timeoutOption(bell.await, LOOK_EVERY)),
        Effect.forever,
      )

      return { want: Effect.asVoid(bell.open), run, keep }
    }),
  )
}
