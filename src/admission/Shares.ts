import { Context, Duration, type Effect, Record } from "effect"
import { Caller } from "../domain/Caller.ts"
import { TooManyAtOnce } from "../domain/Errors.ts"
import { Service } from "../domain/Service.ts"
import { placesByOwner } from "../system/Places.ts"

/**
 * Most work that one organization may have under way in one process. It is far more than an organization needs whose
 * visitors come by themselves, and little enough that some such organizations fit into a server together.
 */
export const ShareBounds = Context.Reference("parley/admission/ShareBounds", {
  defaultValue: () => ({
    organization: {
      /** Uploads while their bodies arrive, each of which has a file of its own. */
      uploads: 8,
      /** Spoken turns, each of which has its audio in memory while it is listened to. */
      turns: 32,
      /** Searches in knowledge bases, which are computed. */
      searches: 16,
      /** Chats that are answered at once as a whole, except streams. */
      chats: 64,
      /** Streamed chats, which mostly wait for a model. */
      streams: 256,
      /** Lists of chatbots, from the first read until the client has received the list. */
      lists: 4,
      /** Streams of events, such as open consoles. */
      events: 64,
      /** Streams of changes in conversations, such as open chat widgets. */
      updates: 2_048,
    },
    /** Time that a request beyond a share waits for its turn; a client that waits longer would rather try again. */
    wait: Duration.seconds(2) as Duration.Input,
    /** Requests of one organization that wait for a place of one kind; others are refused at once. */
    queue: 500,
  }),
})

/** A kind of work of which an organization has a share. */
type ShareKind = keyof (typeof ShareBounds)["Service"]["organization"]

/** `Retry-After` of a refusal: work of these kinds ends within seconds. */
const RETRY_AFTER_SECONDS = 1

/**
 * Limits how much work of one kind an organization has under way in this process. Work beyond the share waits for a
 * short time, first come first served, and is then refused.
 *
 * There is no limit for all organizations together, because by such a limit a few of them could keep out the others.
 */
export class Shares extends Service<Shares>()("parley/admission/Shares", function* () {
  const { organization: most, queue, wait } = yield* ShareBounds
  const millis = Duration.toMillis(wait)
  const places = Record.map(most, (count) => placesByOwner(count, queue))
  const waitFor = (kind: ShareKind) => ({ millis, refuse: () => refusalOf(kind, most[kind]) })

  return {
    /** Runs work that takes a place in the share of the caller's organization until it ends. */
    within:
      (kind: ShareKind) =>
      <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooManyAtOnce, R | Caller> =>
        Caller.use(({ organizationId }) => places[kind](organizationId).within(waitFor(kind))(work)),

    /** Takes a place in the share of the caller's organization until the scope closes. */
    hold: (kind: ShareKind) => Caller.use(({ organizationId }) => places[kind](organizationId).hold(waitFor(kind))),
  }
}) {}

const refusalOf = (kind: ShareKind, most: number) =>
  new TooManyAtOnce({
    detail: `The organization has ${most} ${kind} under way, as many as its share of this server allows.`,
    retry_after_seconds: RETRY_AFTER_SECONDS,
  })
