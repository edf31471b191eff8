import { Clock, Effect, Option, Schema } from "effect"
import { Socket } from "effect/socket"
import type { ChatTurn } from "../../domain/chat/Chat.ts"
import { keyHeaders } from "../../outbound/KeyHeaders.ts"
import { disconnected, explained, failureOfStatus, malformed, type ProviderFailure } from "../calls/ProviderFailure.ts"
import { OPENAI_API_KEY } from "../../system/Variables.ts"
import { parseJson } from "../../text/Json.ts"
import type { VoiceServer } from "./VoiceServers.ts"
import { endpointAt } from "../../outbound/VersionedUrl.ts"

/*
 * Calls of OpenAI's Realtime API over WebRTC. The audio goes between the browser and the provider; the server opens the
 * call, and then sees and steers it by the events of a side channel.
 */

/** The longest event that is read, and the most bytes of events that wait. */
const EVENT_MAX_LENGTH = 1024 * 1024
const WAITING_MAX_BYTES = 16 * EVENT_MAX_LENGTH

const event = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

const tokens = Schema.optionalKey(Schema.Finite)
const Usage = Schema.Struct({
  input_tokens: tokens,
  output_tokens: tokens,
  input_token_details: Schema.optionalKey(Schema.Struct({ cached_tokens: tokens })),
  output_token_details: Schema.optionalKey(Schema.Struct({ audio_tokens: tokens })),
})
const usage = Schema.optionalKey(Schema.NullOr(Usage))
const functionCall = event("function_call", { call_id: Schema.String, name: Schema.String, arguments: Schema.String })
const message = event("message", { id: Schema.String })
const role = Schema.Literals(["user", "assistant"])
/** An item that is not one of `earlierItem`. */
const newItem = Schema.String.check(Schema.isPattern(/^(?!earlier_)/))
const said = { item_id: Schema.String, transcript: Schema.String }
const output = Schema.Array(Schema.Union([functionCall, message, Schema.Struct({ type: Schema.String })]))
const response = Schema.Struct({ id: Schema.String, status: Schema.String, output, usage })

/** The events of a call that matter here. Times are in milliseconds of audio. */
const RealtimeEvent = Schema.Union([
  event("conversation.item.added", { item: event("message", { id: newItem, role }) }),
  event("conversation.item.input_audio_transcription.completed", { ...said, usage }),
  event("conversation.item.input_audio_transcription.failed", { item_id: Schema.String }),
  event("conversation.item.truncated", { item_id: Schema.String, audio_end_ms: Schema.Finite }),
  event("response.done", { response }),
  event("response.output_audio_transcript.done", said),
  event("session.updated", { session: Schema.Struct({ instructions: Schema.String }) }),
])

export type FunctionCall = typeof functionCall.Type
export type RealtimeEvent = typeof RealtimeEvent.Type
export type RealtimeResponse = typeof response.Type
export type RealtimeUsage = typeof usage.Type

const decodeEvent = Schema.decodeUnknownOption(RealtimeEvent)

/** Tells a model what was said before the call, at this place. */
export const earlierItem = ({ content, role }: ChatTurn, index: number) => ({
  type: "conversation.item.create",
  item: {
    id: `earlier_${index}`,
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text: content }],
  },
})

/** Makes the requests of a server with the Realtime API. */
export const makeRealtime = ({ apiKey, baseUrl }: VoiceServer) => {
  const headers = keyHeaders(baseUrl, apiKey)
  const init = { method: "POST", headers, redirect: "manual" } as const
  const explain = (failure: ProviderFailure) => explained(failure, "realtime", apiKey, OPENAI_API_KEY)

  const post = Effect.fnUntraced(
    function* (path: string, body?: FormData) {
      const { response, text } = yield* Effect.tryPromise({
        // A redirect would send the key to a server that nobody configured.
        try: (signal) =>
          fetch(endpointAt(baseUrl, `/realtime/calls${path}`), { ...init, signal, ...(body && { body }) }).then(
            (response) => response.text().then((text) => ({ response, text })),
          ),
        catch: (error) => disconnected(String(error)),
      })
      const { headers: received, ok, status } = response
      const now = yield* Clock.currentTimeMillis
      if (!ok) return yield* failureOfStatus({ status, headers: received, description: `${status} ${text}`, now })
      return { location: received.get("location") ?? "", text }
    },
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(disconnected("No answer in time")) }),
    Effect.mapError(explain),
  )

  return {
    /** Opens a call with the offer of a browser. Returns its id, and the provider's answer for the browser. */
    open: Effect.fnUntraced(function* (offer: string, session: object) {
      const form = new FormData()
      form.set("sdp", offer)
      form.set("session", JSON.stringify(session))
      const { location, text: sdp } = yield* post("", form)
      const id = /\/calls\/([\w-]{1,128})$/.exec(location)?.[1]
      return id === undefined ? yield* malformed("The call has no id") : { id, sdp }
    }),

    hangUp: (id: string) => Effect.ignore(post(`/${id}/hangup`)),

    /** Opens the side channel of a call, until the scope closes. Reading fails once it is closed. */
    attach: Effect.fnUntraced(
      function* (id: string) {
        const url = new URL(endpointAt(baseUrl, "/realtime").replace(/^http/, "ws"))
        url.searchParams.set("call_id", id)
        const opened = Effect.acquireRelease(
          Effect.sync(() => new WebSocket(url, { headers })),
          (socket) => Effect.sync(() => socket.close()),
        )
        const socket = yield* Socket.fromWebSocket(opened, { highWaterMark: WAITING_MAX_BYTES })
        const { pull } = yield* socket.reader
        const { write } = yield* socket.writer
        return {
          /** The next events. What is unknown, malformed or too long is left out. */
          read: Effect.map(pull, (frames) =>
            frames.flatMap((frame) =>
              typeof frame === "string" && frame.length <= EVENT_MAX_LENGTH
                ? Option.toArray(decodeEvent(parseJson(frame)))
                : [],
            ),
          ),
          send: (events: ReadonlyArray<object>) =>
            Effect.ignore(Effect.forEach(events, (one) => write(JSON.stringify(one)), { discard: true })),
        }
      },
      Effect.mapError((error) => explain(disconnected(String(error)))),
    ),
  }
}
