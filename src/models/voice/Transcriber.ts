import { Context, Effect, Layer } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import type { Utterance } from "../../domain/voice/Utterance.ts"
import { readText } from "../../outbound/ResponseText.ts"
import { TRANSCRIPTION_API_KEY } from "../../system/Variables.ts"
import { parseJson } from "../../text/Json.ts"
import { malformed, type ProviderFailure, timedOut } from "../calls/ProviderFailure.ts"
import { brokenBody } from "../calls/ResponseBody.ts"
import { voiceCalls } from "./VoiceCalls.ts"
import { VoiceServers } from "./VoiceServers.ts"

export interface Transcript {
  /** Empty where nothing was understood. */
  readonly text: string
  /** The language that the server has recognized, if it says one. */
  readonly language?: string
}

/** Turns speech into text. */
export type Transcribe = (
  utterance: Utterance,
  language: string | undefined,
) => Effect.Effect<Transcript, ProviderFailure>

const ANSWER_BYTES_MAX = 1024 * 1024
const ANSWER_TIMEOUT = "30 seconds"

/** What servers write where nobody has said anything, such as `[BLANK_AUDIO]` and `(music)`. */
const NOTHING_SAID = /^(?:\s|[[(][^\])]*[\])]|[\p{P}♪])*$/u

/** The model that listens, of a server with OpenAI's `/audio/transcriptions`; undefined where none is configured. */
export class Transcriber extends Context.Service<
  Transcriber,
  { readonly model: string; readonly transcribe: Transcribe } | undefined
>()("parley/models/voice/Transcriber") {
  static readonly layer: Layer.Layer<Transcriber, never, VoiceServers | HttpClient.HttpClient> = Layer.effect(
    this,
    Effect.gen(function* () {
      const { transcription: server } = yield* VoiceServers
      if (server === undefined) return undefined
      const { model } = server
      const call = yield* voiceCalls(server, "/audio/transcriptions", TRANSCRIPTION_API_KEY)

      const transcribe: Transcribe = ({ file, mediaType }, language) => {
        const form = new FormData()
        // Some servers tell the format by the name alone.
        form.append("file", file, `speech.${mediaType.slice(6)}`)
        form.append("model", model)
        form.append("response_format", "json")
        // Whisper knows languages without regions.
        if (language !== undefined) form.append("language", language.split("-", 1).join("").toLowerCase())
        return call(HttpClientRequest.bodyFormData(form), (response) =>
          Effect.tryPromise({ try: () => readText(response, ANSWER_BYTES_MAX), catch: brokenBody }).pipe(
            Effect.timeoutOrElse({ duration: ANSWER_TIMEOUT, orElse: () => Effect.fail(timedOut("The text stalled")) }),
            Effect.flatMap(transcriptIn),
          ),
        )
      }
      return { model, transcribe }
    }),
  )
}

const transcriptIn = (answer: string): Effect.Effect<Transcript, ProviderFailure> => {
  const { language, text }: { readonly language?: unknown; readonly text?: unknown } = Object(parseJson(answer))
  if (typeof text !== "string") return Effect.fail(malformed("The answer is no JSON with a text"))
  const said = NOTHING_SAID.test(text.slice(0, 1_000)) ? "" : text.replaceAll("\u0000", "").toWellFormed().trim()
  const isTag = typeof language === "string" && /^[a-z]{2,3}$/iu.test(language)
  return Effect.succeed({ text: said, ...(isTag && { language: language.toLowerCase() }) })
}
