import { Context, Layer, type Redacted } from "effect"
import { officialUrl, type OpenAiSettings } from "../openai/OpenAi.ts"

/** A model of a server with OpenAI's audio API. */
export interface VoiceServer {
  readonly model: string
  /** The base URL, as it was written. */
  readonly baseUrl: string
  /** The key, which self-hosted servers often do not need. */
  readonly apiKey: Redacted.Redacted | undefined
}

/** Settings of a server, which are absent where browsers do what it would do. */
type ServerSettings = { readonly [Name in keyof VoiceServer]: VoiceServer[Name] | undefined }

export interface VoiceSettings {
  readonly openai: Pick<OpenAiSettings, "apiKey" | "baseUrl">
  readonly transcription: ServerSettings
  readonly speech: ServerSettings
}

/** The servers that listen and speak; undefined where none is configured. */
export class VoiceServers extends Context.Service<
  VoiceServers,
  {
    /** Turns speech into text. */
    readonly transcription: VoiceServer | undefined
    /** Turns text into speech. */
    readonly speech: VoiceServer | undefined
  }
>()("parley/models/voice/VoiceServers") {
  static readonly layer = ({ openai, speech, transcription }: VoiceSettings) => {
    /** A server has its own key: that of OpenAI's server goes to that server alone. */
    const serverOf = ({ apiKey, baseUrl, model }: ServerSettings, usual: string): VoiceServer | undefined =>
      model === undefined && baseUrl === undefined
        ? undefined
        : {
            model: model ?? usual,
            baseUrl: baseUrl ?? openai.baseUrl ?? officialUrl,
            apiKey: apiKey ?? (baseUrl === undefined ? openai.apiKey : undefined),
          }
    return Layer.succeed(this, {
      transcription: serverOf(transcription, "whisper-1"),
      speech: serverOf(speech, "tts-1"),
    })
  }
}
