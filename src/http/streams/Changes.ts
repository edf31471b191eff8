import { Effect, Stream } from "effect"
import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { Server } from "../server/Server.ts"
import { dataEvent, HEARTBEAT, MEDIA_TYPE, streamHeaders } from "./EventStream.ts"
import { Heartbeat } from "./Streaming.ts"

/** Tells clients to connect again two seconds after they have lost the connection. */
const OPENING = "retry: 2000\n\n"

/** Something whose events are taken until there are no more. */
interface Changing {
  readonly take: Effect.Effect<ReadonlyArray<object> | undefined>
}

/** Makes the function that responds with changes as they happen, as server-sent events. */
export const respondingWithChanges = Effect.gen(function* () {
  const server = yield* Server
  const heartbeat = yield* Heartbeat
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, changing: Changing) {
    yield* Effect.acquireRelease(
      Effect.sync(() => server.keepOpen(request)),
      (release) => Effect.sync(release),
    )
    const changes = Stream.unfold(changing, (from) =>
      Effect.map(from.take, (some) => some && ([some.map(dataEvent).join(""), from] as const)),
    )
    const beats = Stream.map(Stream.drop(Stream.tick(heartbeat), 1), () => HEARTBEAT)
    const text = Stream.concat(Stream.make(OPENING), Stream.merge(changes, beats, { haltStrategy: "left" }))
    return HttpServerResponse.stream(Stream.encodeText(text), { contentType: MEDIA_TYPE, headers: streamHeaders })
  })
})
