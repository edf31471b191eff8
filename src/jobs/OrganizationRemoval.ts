import { Duration, Effect, Latch, Layer } from "effect"
import { Blobs } from "../blobs/Blobs.ts"
import type { ChatbotId, OrganizationId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Service } from "../domain/Service.ts"
import { Chatbots } from "../storage/chatbots/Chatbots.ts"
import { OrganizationRemains } from "../storage/organizations/OrganizationRemains.ts"
import { regularly } from "../system/Background.ts"

/** Time between two looks for what another process, or a crash, has left undeleted. */
const LOOK_EVERY = Duration.minutes(1)

/** Deletes what a chatbot has outside the database, once its rows are deleted. */
type RemoveFiles = (chatbot: ChatbotId) => Effect.Effect<void, never, CurrentOrganization>

/**
 * Deletes what deleted organizations own, in the background. Their API keys are refused from the deletion on; their
 * files are swept like all others without an owner.
 */
export class OrganizationRemoval extends Service<OrganizationRemoval>()(
  "parley/jobs/OrganizationRemoval",
  function* () {
    const remains = yield* OrganizationRemains
    const chatbots = yield* Chatbots
    const bell = yield* Latch.make(false)

    const removeChatbot = Effect.fnUntraced(function* (id: ChatbotId, removeFiles: RemoveFiles) {
      // Another process may have deleted it already.
      yield* Effect.catchTag(chatbots.remove(id), "NotFound", () => Effect.void)
      yield* removeFiles(id)
    })

    const removeChatbots = Effect.fnUntraced(function* (organization: OrganizationId, removeFiles: RemoveFiles) {
      let some = yield* remains.chatbots(organization)
      while (some.length > 0) {
        yield* Effect.forEach(some, (id) => removeChatbot(id, removeFiles), { discard: true })
        some = yield* remains.chatbots(organization)
      }
    })

    const remove = Effect.fn("OrganizationRemoval.remove")(function* (
      organization: OrganizationId,
      removeFiles: RemoveFiles,
    ) {
      yield* remains.emptyOrganization(organization)
      yield* Effect.provideService(removeChatbots(organization, removeFiles), CurrentOrganization, organization)
      yield* remains.finish(organization)
    })

    const run = (removeFiles: RemoveFiles) =>
      Effect.flatMap(
        remains.organizations,
        Effect.forEach((organization) => remove(organization, removeFiles), { discard: true }),
      )

    return {
      /** Wakes the background work and returns at once. */
      request: Effect.asVoid(bell.open),

      /** Deletes what all deleted organizations own, and completes when it is deleted. */
      run: run(() => Effect.void),

      /** Does the same for ever, at each request and every minute, and runs `removeFiles` for each chatbot. */
      runForever: (removeFiles: RemoveFiles) =>
        regularly(LOOK_EVERY, "Data of a deleted organization could not be deleted yet", run(removeFiles), bell),
    }
  },
) {
  /** Runs the removal, with that of files, in the background as long as the layer lives. */
  static readonly layerRegularly = Layer.effectDiscard(
    Effect.gen(function* () {
      const blobs = yield* Blobs
      yield* Effect.forkScoped((yield* OrganizationRemoval).runForever(() => blobs.nudge))
    }),
  )
}
