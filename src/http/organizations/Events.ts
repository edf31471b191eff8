import { HttpApiBuilder } from "effect/http-api"
import { Duration, Effect, Exit, Scope } from "effect"
import { Api } from "../../api/Api.ts"
import { Heartbeat } from "../streams/Streaming.ts"
import { Events } from "../../services/organizations/Events.ts"
import type { Subscription } from "../../services/organizations/Subscription.ts"
import { Server } from "../server/Server.ts"
import { dataEvent, EventStream, onLeave, respondWithEvents } from "../streams/EventStream.ts"

/** Tells clients to connect again two seconds after they have lost the connection. */
const OPENING = "retry: 2000\n\n"

/** Writes the events of a subscription to a stream, as fast as the client reads them, until the subscription ends. */
const pump = Effect.fnUntraced(function* (subscription: Subscription, stream: EventStream) {
  for (;;) {
    const events = yield* subscription.take
    if (events === undefined) return
    const room = stream.write(events.map(dataEvent).join(""))
    if (room !== undefined) yield* room
  }
})

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    const server = yield* Server
    const heartbeat = yield* Heartbeat
    const services = yield* Effect.context<never>()

    return handlers.handleAll({
      subscribe: ({ query, request }) =>
        // Not interruptible between taking the subscription and having the fiber that gives it back.
        Effect.uninterruptibleMask(
          Effect.fnUntraced(function* (restore) {
            const scope = yield* Scope.make()
            const subscription = yield* Effect.onError(
              restore(Scope.provide(events.subscribe(query.chatbot_id), scope)),
              (cause) => Scope.close(scope, Exit.failCause(cause)),
            )
            const leave = () => fiber.interruptUnsafe()
            const stream = new EventStream({ heartbeatMillis: Duration.toMillis(heartbeat), onLeave: leave })
            stream.write(OPENING)
            // It is not among the running requests that a server which stops waits for.
            const fiber = Effect.runForkWith(services)(
              Effect.ensuring(pump(subscription, stream), Scope.close(scope, Exit.void)),
            )
            const release = server.keepOpen(request)
            fiber.addObserver(() => {
              stream.end("")
              release()
            })
            onLeave(request, leave)
            return respondWithEvents(stream)
          }),
        ),
    })
  }),
)
