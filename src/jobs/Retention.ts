import { Duration, Effect, Layer } from "effect"
import type { OrganizationId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Attachments } from "../storage/conversations/Attachments.ts"
import { Replies } from "../storage/conversations/Replies.ts"
import { Retention } from "../storage/conversations/Retention.ts"
import { regularly } from "../system/Background.ts"

export interface RetentionSettings {
  /** Days for which conversations are kept where their organization says nothing; infinite for ever. */
  readonly conversationDays: number
  /** Days for which is kept what replies rested on; 0 for not at all. */
  readonly groundDays: number
}

const RUN_EVERY = Duration.hours(1)

/**
 * Deletes the conversations of all organizations whose retention is over, and what replies rested on that is not kept any
 * longer, and completes when they are deleted. Organizations take turns, so that one with many conversations does not keep
 * the others waiting.
 */
export const run = Effect.fn("Retention.run")(function* ({ conversationDays, groundDays }: RetentionSettings) {
  const retention = yield* Retention
  const fallback = Number.isFinite(conversationDays) ? conversationDays : undefined
  const step = (organization: OrganizationId) =>
    Effect.provideService(retention.step(fallback), CurrentOrganization, organization)
  let some = yield* retention.begin(fallback)
  while (some.length > 0) some = yield* Effect.filter(some, step)
  yield* Effect.repeat((yield* Attachments).forget, { while: (count) => count > 0 })
  const replies = yield* Replies
  yield* Effect.repeat(replies.forget(groundDays), { while: (count) => count > 0 })
  yield* replies.forgetSetups(groundDays)
})

/** Runs it in the background, every hour, as long as the layer lives. */
export const layer = (settings: RetentionSettings) =>
  Layer.effectDiscard(
    Effect.forkScoped(regularly(RUN_EVERY, "What is not kept any longer could not be deleted", run(settings))),
  )
