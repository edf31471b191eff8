import { Context, Duration, Effect, Latch } from "effect"
import { Caller } from "../../domain/Caller.ts"
import { TooManyAtOnce } from "../../domain/Errors.ts"
import type { MessageId, OrganizationId, SessionId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { Visitor } from "../../domain/widget/Visitor.ts"
import type { WidgetUpdate } from "../../domain/widget/Widget.ts"
import { Service } from "../../domain/Service.ts"
import * as Storage from "../../storage/widget/VisitorConversations.ts"
import { type OpenConversation, VisitorHandovers } from "../../storage/widget/VisitorHandovers.ts"
import { Shares } from "../../admission/Shares.ts"
import { regularly } from "../../system/Background.ts"
import { PendingEvents } from "../PendingEvents.ts"
import { nameOf, toMessage } from "./VisitorConversations.ts"
import { VisitorTokens } from "./VisitorTokens.ts"

/** Time between two readings of the conversations that visitors have open: people notice no less. */
export const UpdateInterval: Context.Reference<Duration.Duration> = Context.Reference<Duration.Duration>(
  "parley/services/widget/UpdateInterval",
  { defaultValue: () => Duration.seconds(1) },
)
/** Most streams of one visitor at once, such as its tabs. */
const STREAMS_MAX_COUNT = 16
/** Messages of a conversation that are compared: more in one interval are read by the widget itself. */
const COMPARED_COUNT = 30
const READ_AT_ONCE = 8

const tooMany = new TooManyAtOnce({
  detail: "The visitor has conversations open in as many places as it may.",
  retry_after_seconds: 5,
})

/** The updates of one stream. */
class Subscription extends PendingEvents<WidgetUpdate> {
  readonly visitor: Visitor["Service"]

  constructor(visitor: Visitor["Service"]) {
    super()
    this.visitor = visitor
  }
}

/** A conversation that is open in at least one place. */
interface Watch {
  readonly id: SessionId
  readonly organization: OrganizationId
  readonly of: Storage.VisitorName
  readonly subscriptions: Set<Subscription>
  /** The last state; undefined before the first. */
  state: OpenConversation | undefined
  /** The latest messages at that state. */
  known: ReadonlySet<MessageId>
}

/**
 * Changes in the conversations that visitors have open, as they happen. One fiber in each process reads the states of all
 * of them, once in each interval and by one statement, and compares them with the last ones. So what makes a change
 * has nothing to report, on whichever server it happens, and costs nothing while no visitor is there.
 */
export class VisitorUpdates extends Service<VisitorUpdates>()("parley/services/widget/VisitorUpdates", function* () {
  const interval = yield* UpdateInterval
  const handovers = yield* VisitorHandovers
  const conversations = yield* Storage.VisitorConversations
  const tokens = yield* VisitorTokens
  const shares = yield* Shares
  const watches = new Map<SessionId, Watch>()
  const places = new Map<string, number>()
  const bell = Latch.makeUnsafe(false)

  /** Reports what has changed in a conversation, whose state is undefined when it is gone. */
  const compare = Effect.fnUntraced(function* (watch: Watch, state: OpenConversation | undefined) {
    const { id, of, organization, state: before, subscriptions } = watch
    if (state?.visitor !== of.visitor) return subscriptions.forEach((one) => one.end())
    const updates: Array<WidgetUpdate> = before === undefined ? [{ type: "resync" }] : []
    if (state.stamp !== before?.stamp) {
      const { items } = yield* Effect.provideService(
        conversations.messages(of, id, { limit: COMPARED_COUNT, after: undefined }),
        CurrentOrganization,
        organization,
      )
      const fresh = items.filter((message) => !watch.known.has(message.id)).toReversed()
      if (before !== undefined && fresh.length === COMPARED_COUNT) updates.push({ type: "resync" })
      else if (before !== undefined)
        updates.push(...fresh.map((row) => ({ type: "message" as const, message: toMessage(row) })))
      watch.known = new Set(items.map((message) => message.id))
    }
    if (before !== undefined && JSON.stringify(state.handover) !== JSON.stringify(before.handover))
      updates.push({ type: "handover", handover: state.handover })
    if (state.writing?.name !== before?.writing?.name) updates.push({ type: "presence", writing: state.writing })
    watch.state = state
    for (const one of subscriptions) one.offer(updates)
  })

  const look = Effect.fnUntraced(function* () {
    const open = Array.from(watches.values())
    if (open.length === 0) return yield* bell.await
    for (const { subscriptions } of open) {
      for (const one of subscriptions) if (!(yield* tokens.isLive(one.visitor.token ?? ""))) one.end()
    }
    const states = new Map((yield* handovers.look(open.map(({ id }) => id))).map((state) => [state.id, state]))
    yield* Effect.forEach(open, (watch) => compare(watch, states.get(watch.id)), {
      concurrency: READ_AT_ONCE,
      discard: true,
    })
  })

  yield* Effect.forkScoped(regularly(interval, "Updates of conversations are delayed", look(), bell))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { subscriptions } of watches.values()) for (const one of subscriptions) one.end()
    }),
  )

  const add = (watch: Watch, subscription: Subscription) =>
    Effect.sync(() => {
      const { subscriptions } = watch
      subscriptions.add(subscription)
      places.set(subscription.visitor.id, (places.get(subscription.visitor.id) ?? 0) + 1)
      watches.set(watch.id, watch)
      // A state that others have been told of is not reported again.
      if (watch.state === undefined) bell.openUnsafe()
      else subscription.offer([{ type: "resync" }, { type: "presence", writing: watch.state.writing }])
    })

  const remove = (watch: Watch, subscription: Subscription) =>
    Effect.sync(() => {
      const { id } = subscription.visitor
      const rest = (places.get(id) ?? 1) - 1
      if (rest > 0) places.set(id, rest)
      else places.delete(id)
      watch.subscriptions.delete(subscription)
      if (watch.subscriptions.size === 0 && watches.get(watch.id) === watch) watches.delete(watch.id)
    })

  return {
    /** Subscribes to a conversation of the visitor, until the scope closes. */
    subscribe: Effect.fn("VisitorUpdates.subscribe")(function* (visitor: Visitor["Service"], conversation: SessionId) {
      const { organizationId } = yield* Caller
      const of = nameOf(visitor)
      const { id } = yield* conversations.get(of, conversation)
      if ((places.get(visitor.id) ?? 0) >= STREAMS_MAX_COUNT) return yield* tooMany
      yield* shares.hold("updates")
      const known = watches.get(id)
      const watch: Watch =
        known?.of.visitor === of.visitor
          ? known
          : { id, organization: organizationId, of, subscriptions: new Set(), state: undefined, known: new Set() }
      const subscription = new Subscription(visitor)
      yield* Effect.acquireRelease(add(watch, subscription), () => remove(watch, subscription))
      return subscription
    }),
  }
}) {}
