import { Context, Duration, Effect, Fiber } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Failure } from "../../domain/Errors.ts"
import { errorEvent, type LiveReply, type LiveReplyFailure, noReply } from "../../services/widget/LiveReplies.ts"
import type { Reading } from "../../services/widget/VisitorChats.ts"
import { EventStream, onLeave, respondWithEvents } from "../streams/EventStream.ts"
import type { streamingOptions } from "../streams/Streaming.ts"

/** The most events that are written at once; in between, others have their turn. */
const EVENTS_AT_ONCE = 500

const frame = (number: number, event: string): string => `id: ${number}\ndata: ${event}\n\n`

/**
 * Responds with the events of a visitor's reply, those that there are and those to come, as server-sent events.
 *
 * The reply does not depend on the response: a client that leaves ends only its own stream, and one that is slow delays
 * only itself. A reply that fails before its first event is an ordinary failure, with a status of its own.
 */
export const respondWithReply = (
  { after, reply }: Reading,
  { heartbeat, lifecycle, server, services }: Effect.Success<typeof streamingOptions>,
): Effect.Effect<HttpServerResponse.HttpServerResponse, LiveReplyFailure, HttpServerRequest.HttpServerRequest> =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
    let wake = () => {}
    let hasLeft = false
    const leave = () => {
      hasLeft = true
      wake()
    }
    const events = new EventStream({ heartbeatMillis: Duration.toMillis(heartbeat), onLeave: leave })

    const pump = Effect.gen(function* () {
      let place = after
      while (!hasLeft) {
        const some = reply.log.after(place)?.slice(0, EVENTS_AT_ONCE)
        // The log has dropped what this client has not read yet: it finds the reply in the conversation later.
        if (some === undefined) return
        // Nothing is written before there is an event, so that the response can still be another one.
        const behind = some.length === 0 ? undefined : events.write(some.map((event) => frame(++place, event)).join(""))
        if (behind !== undefined) yield* behind
        if (place < reply.log.last) continue
        if (reply.log.isOver) return
        yield* reply.log.changedAfter(place, (end) => {
          wake = end
          // The client may have left since the condition of the loop was read.
          if (hasLeft) end()
        })
      }
    })

    reply.readers++
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const release = server.keepOpen(request)
    // Uninterruptible, so that a server which closes still sends the last event of a reply that it interrupts.
    const fiber = Effect.runForkWith(services)(Effect.uninterruptible(Effect.andThen(Effect.yieldNow, pump)))
    lifecycle.running.add(fiber)
    fiber.addObserver(() => {
      events.end(events.isOpen && reply.log.isEmpty && reply.failure !== undefined ? lateFailure(reply.failure) : "")
      reply.readers--
      lifecycle.running.delete(fiber)
      release()
    })
    onLeave(request, leave)
    return Effect.flatMap(events.opened, () => (events.isOpen ? Effect.void : failureOf(reply))).pipe(
      Effect.onInterrupt(() => Effect.sync(leave)),
      Effect.map(() => respondWithEvents(events)),
    )
  })

/** The last event of a reply that failed before its first event, but after the response had begun. */
const lateFailure = (failure: Failure): string => frame(1, JSON.stringify(errorEvent(failure)))

/** Fails as the reply did whose stream ended before it had any event. A stream may also have none to send. */
const failureOf = ({ failure, fiber, log }: LiveReply): Effect.Effect<unknown, LiveReplyFailure> => {
  if (failure !== undefined && fiber !== undefined) return Fiber.join(fiber)
  return log.isOver ? Effect.void : Effect.fail(noReply)
}
