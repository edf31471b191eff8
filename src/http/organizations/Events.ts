import { HttpApiBuilder } from "effect/http-api"
import { HttpServerResponse } from "effect/http"
import { Effect, Stream } from "effect"
import { Api } from "../../api/Api.ts"
import { Heartbeat } from "../streams/Streaming.ts"
import { Events } from "../../services/organizations/Events.ts"
import { Server } from "../server/Server.ts"
import { dataEvent, HEARTBEAT, MEDIA_TYPE, streamHeaders } from "../streams/EventStream.ts"

/** Tells clients to connect again two seconds after they have lost the connection. */
const OPENING = "retry: 2000\n\n"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    const server = yield* Server
    const heartbeat = yield* Heartbeat

    return handlers.handleAll({
      // The scope of a request closes when its response is over, and the subscription ends with it.
      subscribe: Effect.fnUntraced(function* ({ query, request }) {
        const subscription = yield* events.subscribe(query.chatbot_id)
        yield* Effect.acquireRelease(
          Effect.sync(() => server.keepOpen(request)),
          (release) => Effect.sync(release),
        )
        const changes = Stream.unfold(subscription, (from) =>
          Effect.map(from.take, (some) => some && ([some.map(dataEvent).join(""), from] as const)),
        )
        const beats = Stream.map(Stream.drop(Stream.tick(heartbeat), 1), () => HEARTBEAT)
        const text = Stream.concat(Stream.make(OPENING), Stream.merge(changes, beats, { haltStrategy: "left" }))
        return HttpServerResponse.stream(Stream.encodeText(text), { contentType: MEDIA_TYPE, headers: streamHeaders })
      }),
    })
  }),
)
