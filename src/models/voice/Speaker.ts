import { Context, Effect, Layer } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { SPEECH_API_KEY } from "../../system/Variables.ts"
import { malformed, type ProviderFailure, timedOut } from "../calls/ProviderFailure.ts"
import { brokenBody } from "../calls/ResponseBody.ts"
import { BYTES_PER_MS, PcmReader } from "./Pcm.ts"
import { voiceCalls } from "./VoiceCalls.ts"
import { VoiceServers } from "./VoiceServers.ts"

/** Turns a clause into speech, and passes its audio on: 16 bits, mono, 24 kHz, at most 200 ms in one piece. */
export type Speak = (
  clause: string,
  voice: string,
  onAudio: (pcm: Uint8Array) => Effect.Effect<void>,
) => Effect.Effect<void, ProviderFailure>

/** Longest silence of the server within a clause. */
const SILENCE = "10 seconds"
/** Most audio of one clause, which takes some twenty seconds to say: what goes on for longer never ends. */
const CLAUSE_BYTES_MAX = 120_000 * BYTES_PER_MS

/** The model that speaks, of a server with OpenAI's `/audio/speech`; undefined where none is configured. */
export class Speaker extends Context.Service<Speaker, { readonly model: string; readonly speak: Speak } | undefined>()(
  "parley/models/voice/Speaker",
) {
  static readonly layer: Layer.Layer<Speaker, never, VoiceServers | HttpClient.HttpClient> = Layer.effect(
    this,
    Effect.gen(function* () {
      const { speech: server } = yield* VoiceServers
      if (server === undefined) return undefined
      const { model } = server
      const call = yield* voiceCalls(server, "/audio/speech", SPEECH_API_KEY)

      const speak: Speak = (clause, voice, onAudio) => {
        const body = JSON.stringify({ model, voice, input: clause, response_format: "pcm" })
        let bytes = 0
        const read = Effect.fnUntraced(function* (response: Response) {
          const reader = response.body?.getReader()
          if (reader === undefined) return yield* malformed("The answer has no audio")
          yield* Effect.addFinalizer(() => Effect.promise(() => reader.cancel().catch(() => {})))
          const pcm = new PcmReader()
          const pass = Effect.fnUntraced(function* (pieces: ReadonlyArray<Uint8Array> | undefined) {
            if (pieces === undefined) return yield* malformed("The answer is neither PCM nor WAV of 16 bits")
            for (const piece of pieces) {
              bytes += piece.length
              if (bytes > CLAUSE_BYTES_MAX) return yield* malformed("The audio of a clause does not end")
              yield* onAudio(piece)
            }
          })
          while (true) {
            const { done, value } = yield* Effect.tryPromise({ try: () => reader.read(), catch: brokenBody }).pipe(
              Effect.timeoutOrElse({ duration: SILENCE, orElse: () => Effect.fail(timedOut("The audio stalled")) }),
            )
            if (done) break
            yield* pass(pcm.push(value))
          }
          yield* pass(pcm.push(new Uint8Array(), true))
          if (bytes === 0) return yield* malformed("The answer has no audio")
        })
        return call(
          HttpClientRequest.bodyText(body, "application/json"),
          (response) => (isText(response) ? Effect.fail(malformed("The answer is text")) : read(response)),
          () => bytes > 0,
        )
      }
      return { model, speak }
    }),
  )
}

const isText = ({ headers }: Response): boolean =>
  /^(?:text|application\/json)/i.test(headers.get("content-type") ?? "")
