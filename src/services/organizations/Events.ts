import { Context, Duration, Effect, Fiber, Scope } from "effect"
import { Caller, ensureServes, lacks } from "../../domain/Caller.ts"
import type { ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { OrganizationChanges } from "../../storage/OrganizationChanges.ts"
import { regularly } from "../../system/Background.ts"
import { Shares } from "../../admission/Shares.ts"
import { Comparison, documentEvents } from "./Changes.ts"
import { mayListen, Subscription } from "./Subscription.ts"

/** Time between two readings of the state of an organization while somebody listens: people notice no less. */
export const EventInterval: Context.Reference<Duration.Duration> = Context.Reference<Duration.Duration>(
  "parley/services/organizations/EventInterval",
  { defaultValue: () => Duration.seconds(1) },
)

/** The observation of one organization while it has subscriptions. */
interface Watch {
  readonly subscriptions: Set<Subscription>
  /** Whether a state was read from which on nothing is missed. */
  isBegun: boolean
  /** The fiber that observes; undefined until it is started. */
  fiber: Fiber.Fiber<unknown> | undefined
}

/**
 * Changes in organizations, as they happen. One fiber in each process reads the state of an organization that
 * has subscriptions, once in each interval and by one statement however many they are, and compares it with the last
 * one. So what makes a change has nothing to report, on whichever server it happens, and costs nothing while nobody
 * listens.
 */
export class Events extends Service<Events>()("parley/services/organizations/Events", function* () {
  const interval = yield* EventInterval
  const changes = yield* OrganizationChanges
  const chatbots = yield* Chatbots
  const shares = yield* Shares
  const scope = yield* Scope.Scope
  const watches = new Map<OrganizationId, Watch>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { subscriptions } of watches.values()) for (const one of subscriptions) one.end()
    }),
  )

  /** Reads the state once, and reports what has changed to all subscriptions. */
  const look = Effect.fnUntraced(function* (watch: Watch, comparison: Comparison) {
    const asked = Array.from(watch.subscriptions)
    const keys = new Set(asked.flatMap(({ caller }) => (caller.session === undefined ? caller.apiKeyId : [])))
    const sessions = new Set(asked.flatMap(({ caller }) => caller.session?.id ?? []))
    const state = yield* changes.look(comparison.since, Array.from(keys), Array.from(sessions))
    for (const one of asked) if (!state.credentials.includes(one.credential)) one.end()
    const { documents, events } = comparison.next(state)
    const all = [...events]
    for (const [chatbot, ids] of documents) {
      const found = yield* Effect.onError(changes.documents(chatbot, ids), () =>
        // The next comparison would not find these changes again.
        Effect.sync(() => (watch.isBegun = false)),
      )
      all.push(...documentEvents(chatbot, ids, found))
    }
    const reported = watch.isBegun ? all : [{ type: "resync" as const }]
    watch.isBegun = true
    for (const one of watch.subscriptions) one.offer(reported)
  })

  const observe = (watch: Watch, organization: OrganizationId) => {
    const comparison = new Comparison()
    // What has changed during a failure is found afterwards.
    return regularly(interval, "Events are delayed", look(watch, comparison)).pipe(
      Effect.provideService(CurrentOrganization, organization),
    )
  }

  const add = Effect.fnUntraced(function* (organization: OrganizationId, subscription: Subscription) {
    const known = watches.get(organization)
    if (known !== undefined) {
      known.subscriptions.add(subscription)
      // Before the first state is read, nobody can know what will be missed.
      if (known.isBegun) subscription.offer([{ type: "resync" }])
      return
    }
    const watch: Watch = { subscriptions: new Set([subscription]), isBegun: false, fiber: undefined }
    watches.set(organization, watch)
    watch.fiber = yield* Effect.forkIn(observe(watch, organization), scope)
  })

  const remove = (organization: OrganizationId, subscription: Subscription) =>
    Effect.suspend(() => {
      const watch = watches.get(organization)
      watch?.subscriptions.delete(subscription)
      if (watch === undefined || watch.subscriptions.size > 0) return Effect.void
      watches.delete(organization)
      return watch.fiber === undefined ? Effect.void : Fiber.interrupt(watch.fiber)
    })

  return {
    /** Subscribes to the events of the caller's organization, or of one chatbot, until the scope closes. */
    subscribe: Effect.fn("Events.subscribe")(function* (asked: ChatbotId | undefined) {
      const caller = yield* Caller
      if (!mayListen(caller.scopes))
        return yield* lacks(caller, "a scope of events: chatbots:read, knowledge:read or conversations:read")
      if (asked !== undefined) {
        yield* ensureServes(asked)
        yield* chatbots.get(asked)
      }
      yield* shares.hold("events")
      const subscription = new Subscription(caller, asked === undefined ? caller.chatbots : [asked])
      yield* Effect.acquireRelease(add(caller.organizationId, subscription), () =>
        remove(caller.organizationId, subscription),
      )
      return subscription
    }),
  }
}) {}
