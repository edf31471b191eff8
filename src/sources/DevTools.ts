import { Deferred, Effect, Schema, type Scope } from "effect"

/** The browser cannot be reached, has refused a command, or has ended the connection. */
export class BrowserFailed extends Schema.TaggedError<BrowserFailed>()("BrowserFailed", { detail: Schema.String }) {}

const Version = Schema.fromJsonString(Schema.Struct({ webSocketDebuggerUrl: Schema.String }))

const Message = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Int),
    sessionId: Schema.optionalKey(Schema.String),
    method: Schema.optionalKey(Schema.String),
    params: Schema.optionalKey(Schema.JsonObject),
    result: Schema.optionalKey(Schema.JsonObject),
    error: Schema.optionalKey(Schema.Struct({ message: Schema.String })),
  }),
)
const decodeMessage = Schema.decodeUnknownOption(Message)

type Parameters = Schema.JsonObject

/** A connection to a browser by the Chrome DevTools Protocol, with the events of one page. */
export interface DevTools {
  /** Sends a command, to the page once it is attached, and returns the result. */
  readonly send: (method: string, parameters?: Parameters) => Effect.Effect<Schema.JsonObject, BrowserFailed>
  /** Lets the following commands go to this page. */
  readonly attach: (sessionId: string) => void
}

const unreachable = new BrowserFailed({ detail: "The browser of the server cannot be reached." })
const ended = new BrowserFailed({ detail: "The browser of the server has ended the connection." })

/** The address of the browser's own target. A browser behind another name than an address answers no `Host` but this. */
const addressOf = Effect.fnUntraced(function* (base: URL) {
  if (/^wss?:$/.test(base.protocol)) return base
  const text = yield* Effect.tryPromise({
    try: (signal) =>
      fetch(new URL("/json/version", base), { headers: { host: "localhost" }, signal }).then((r) => r.text()),
    catch: () => unreachable,
  })
  const { webSocketDebuggerUrl } = yield* Effect.mapError(Schema.decodeEffect(Version)(text), () => unreachable)
  const url = new URL(webSocketDebuggerUrl)
  url.host = base.host
  return url
})

/** Connects to a browser until the scope closes. `onEvent` takes the events of all that is attached. */
export const connect = Effect.fnUntraced(function* (
  base: URL,
  onEvent: (method: string, parameters: Parameters) => void,
): Effect.fn.Return<DevTools, BrowserFailed, Scope.Scope> {
  const url = yield* addressOf(base)
  const waiting = new Map<number, Deferred.Deferred<Schema.JsonObject, BrowserFailed>>()
  let count = 0
  let session: string | undefined

  const take = (data: unknown) => {
    const message = decodeMessage(data)
    if (message._tag === "None") return
    const { error, id, method, params = {}, result = {} } = message.value
    if (id === undefined) return method === undefined ? undefined : onEvent(method, params)
    const answered = waiting.get(id)
    waiting.delete(id)
    if (answered === undefined) return
    Deferred.doneUnsafe(answered, error === undefined ? Effect.succeed(result) : refused(error.message))
  }

  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket, BrowserFailed>((resume) => {
      const opening = new WebSocket(url)
      opening.addEventListener("open", () => resume(Effect.succeed(opening)))
      opening.addEventListener("error", () => resume(Effect.fail(unreachable)))
      opening.addEventListener("message", ({ data }) => take(data))
      opening.addEventListener("close", () => {
        for (const answered of waiting.values()) Deferred.doneUnsafe(answered, Effect.fail(ended))
        waiting.clear()
      })
      return Effect.sync(() => opening.close())
    }),
    (open) => Effect.sync(() => open.close()),
  )

  return {
    send: (method, params = {}) =>
      Effect.suspend(() => {
        if (socket.readyState !== WebSocket.OPEN) return Effect.fail(ended)
        const id = ++count
        const answered = Deferred.makeUnsafe<Schema.JsonObject, BrowserFailed>()
        waiting.set(id, answered)
        socket.send(JSON.stringify({ id, method, params, ...(session !== undefined && { sessionId: session }) }))
        return Deferred.await(answered)
      }),
    attach: (sessionId) => void (session = sessionId),
  }
})

const refused = (detail: string) =>
  Effect.fail(new BrowserFailed({ detail: `The browser of the server refuses: ${detail}` }))
