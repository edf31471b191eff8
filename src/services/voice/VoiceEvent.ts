import type { Emit } from "../../agent/AgentEvent.ts"
import type { Clause } from "../../domain/voice/Clauses.ts"
import type { Transcript } from "../../models/voice/Transcriber.ts"
import type { ChatEvent } from "../conversations/ChatAnswer.ts"

/** Times of a spoken turn in milliseconds, from the arrival of its form. What has not happened is absent. */
export interface VoiceTimings {
  readonly transcription_ms?: number | undefined
  readonly first_text_ms?: number | undefined
  readonly first_audio_ms?: number | undefined
  /** Length of what the user said, and of what was spoken. */
  readonly listened_ms: number
  readonly spoken_ms: number
}

/** An event of a spoken turn: those of its chat, and what is heard and spoken. */
export type VoiceEvent =
  | ChatEvent
  /** What was understood, before anything else; an empty text ends the turn. */
  | ({ readonly type: "transcript" } & Transcript)
  | { readonly type: "clause"; readonly clause: Clause }
  /** A piece of the audio of the clause before it: 16 bits, mono, 24 kHz, at most 200 ms. */
  | { readonly type: "audio"; readonly pcm: Uint8Array }
  /** From here on there is no audio: the speech server has failed. */
  | { readonly type: "muted"; readonly detail: string }
  | { readonly type: "timings"; readonly timings: VoiceTimings }

export type VoiceEmit = Emit<VoiceEvent>
