import { Context, Duration, Effect, Latch, Layer } from "effect"
import { Blobs } from "../blobs/Blobs.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, OrganizationId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Snapshots } from "../knowledge/segments/Snapshots.ts"
import { Chatbots } from "../storage/Chatbots.ts"
import { OrganizationRemains } from "../storage/OrganizationRemains.ts"
import { regularly } from "../system/Background.ts"

/** How often it is looked for what another process, or a crash, has left. */
const LOOK_EVERY = Duration.minutes(1)

/** What else there is to do for a chatbot whose rows are gone. */
type Afterwards = (chatbot: ChatbotId) => Effect.Effect<void, never, CurrentOrganization>

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
    /** Does so whenever it is wanted, and from time to time; `afterwards` sees to what a chatbot has outside the database. */
    readonly keep: (afterwards: Afterwards) => Effect.Effect<never>
  }
>()("parley/jobs/OrganizationRemoval") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const remains = yield* OrganizationRemains
      const chatbots = yield* Chatbots
      const bell = yield* Latch.make(false)

      const removeChatbot = Effect.fnUntraced(function* (id: ChatbotId, afterwards: Afterwards) {
        // Another process may have been faster.
        yield* Effect.catchTag(chatbots.remove(id), "NotFound", () => Effect.void)
        yield* afterwards(id)
      })

      const removeChatbots = Effect.fnUntraced(function* (organization: OrganizationId, afterwards: Afterwards) {
        let some = yield* remains.chatbots(organization)
        while (some.length > 0) {
          yield* Effect.forEach(some, (id) => removeChatbot(id, afterwards), { discard: true })
          some = yield* remains.chatbots(organization)
        }
      })

      const remove = Effect.fn("OrganizationRemoval.remove")(function* (
        organization: OrganizationId,
        afterwards: Afterwards,
      ) {
        yield* remains.emptyOrganization(organization)
        yield* Effect.provideService(removeChatbots(organization, afterwards), CurrentOrganization, organization)
        yield* remains.finish(organization)
      })

      const run = (afterwards: Afterwards) =>
        Effect.flatMap(
          remains.organizations,
          Effect.forEach((organization) => remove(organization, afterwards), { discard: true }),
        )

      const keep = (afterwards: Afterwards) =>
        regularly(LOOK_EVERY, "What an organization owned was not deleted yet", run(afterwards), bell)

      return { want: Effect.asVoid(bell.open), run: run(() => Effect.void), keep }
    }),
  )

  /** Does so in the background as long as the layer lives, and has the files of what it deleted removed. */
  static readonly layerRegularly = Layer.effectDiscard(
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const snapshots = yield* Snapshots
      const removeFiles = (chatbot: ChatbotId) => Effect.andThen(blobs.nudge, Effect.ignore(snapshots.tidy(chatbot)))
      yield* Effect.forkScoped((yield* OrganizationRemoval).keep(removeFiles))
    }),
  )
}
