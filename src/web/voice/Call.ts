import { batch, signal } from "@preact/signals"
import type { SessionId } from "../../domain/Ids.ts"
import type { WidgetVoice } from "../../domain/widget/Widget.ts"
import { randomUuid } from "../shared/Random.ts"
import { type TurnEvent, turnEvents } from "./Turns.ts"

/** Speech that lowers the chatbot's voice, and speech that interrupts it, in milliseconds. Shorter sounds are no words. */
const [DUCKING_MILLIS, INTERRUPTING_MILLIS] = [150, 500]

/** Hears the visitor, and calls the methods of a call whose names begin with `on`. */
export interface Listener {
  /** Whether it hears the visitor also while the chatbot speaks, and not the chatbot. */
  readonly isInterrupting: boolean
  /** Begins to listen, in a click. Rejects with a `DOMException` where there is no microphone to listen by. */
  readonly start: () => Promise<void>
  /** Lets sound in, or keeps it out. */
  readonly open: (isOpen: boolean) => void
  readonly stop: () => void
}

/** Says replies. */
export interface Speaker {
  /** Makes it ready, in a click. */
  readonly start: () => void
  /** Says a piece of the present reply: audio in base64, or the text of a clause. */
  readonly add: (piece: string) => void
  /** Waits until the present reply, of which all has come, is said or stopped. */
  readonly finished: () => Promise<void>
  readonly duck: (isDucked: boolean) => void
  /** Stops the present reply. Returns how much of it was heard, as a turn's field. */
  readonly stop: () => Fields
  /** Lets go of the loudspeaker. */
  readonly close: () => void
}

/** Fields of the form of a turn. */
export type Fields = Readonly<Record<string, string | number | Blob>>

export interface CallOptions {
  readonly config: WidgetVoice
  /** Tag of the language in which the visitor is expected to speak. */
  readonly language: string
  /** Sends a turn. Rejects where the server refuses it. */
  readonly endpoint: (form: FormData, signal: AbortSignal) => Promise<Response>
  /** Called with the conversation of each turn, which the first one may have begun. */
  readonly onConversation: (id: SessionId) => void
  /** Called with each part of the streams of turns. */
  readonly onEvent?: (event: TurnEvent) => void
}

/** What was said in a turn. */
export interface Exchange {
  readonly key: string
  readonly question: string
  readonly clauses: ReadonlyArray<string>
}

/** A turn whose reply is not over. */
interface Turn {
  readonly key: string
  readonly abort: AbortController
  /** Whether the visitor is done. Until then, the turn is withdrawn if the visitor goes on. */
  isSure: boolean
  reply?: string
}

/** A call: who speaks, what is said, and what is sent. Of browsers it knows only its listener and its speaker. */
export class Call {
  readonly phase = signal<"ready" | "listening" | "thinking" | "speaking" | "over">("ready")
  readonly isMuted = signal(false)
  /** Loudness of the visitor, from 0 to 1. */
  readonly level = signal(0)
  readonly exchanges = signal<ReadonlyArray<Exchange>>([])
  /** Why the call cannot begin or go on, or the last turn has failed. */
  readonly failure = signal<unknown>(undefined)
  /** Name of the microphone that has taken the place of another one. */
  readonly microphone = signal("")
  readonly options: CallOptions
  readonly #speaker: Speaker
  #listener: Listener | undefined
  #turn: Turn | undefined
  /** Fields of the next turn: which reply was interrupted, and what of it was heard. */
  #interrupted: Fields = {}

  constructor(options: CallOptions, speaker: Speaker) {
    this.options = options
    this.#speaker = speaker
  }

  /** Begins the call, in a click. */
  async start(listener: Listener): Promise<void> {
    this.#listener = listener
    this.failure.value = undefined
    this.#speaker.start()
    try {
      await listener.start()
      if (this.#listener === listener) this.enter("listening")
      // It was ended meanwhile.
      else listener.stop()
    } catch (error) {
      if (this.#listener === listener) this.onFailure(error)
    }
  }

  end(phase: "ready" | "over" = "over"): void {
    this.#drop()
    this.#speaker.stop()
    this.#listener?.stop()
    this.#listener = undefined
    if (phase === "over") this.#speaker.close()
    this.enter(phase)
  }

  mute(isMuted: boolean): void {
    this.isMuted.value = isMuted
    this.enter(this.phase.value)
  }

  /** Whether the chatbot has the word. */
  get isAnswering(): boolean {
    return this.phase.value === "thinking" || this.phase.value === "speaking"
  }

  /** Stops what the chatbot says or thinks of. */
  interrupt(): void {
    const reply = this.#drop()?.reply
    const heard = this.#speaker.stop()
    if (reply !== undefined) this.#interrupted = { heard_message_id: reply, ...heard }
    this.enter("listening")
  }

  /** The visitor speaks, for so long by now. */
  onSpeech(millis: number): void {
    if (!this.isAnswering) return
    if (millis >= INTERRUPTING_MILLIS) this.interrupt()
    else if (millis >= DUCKING_MILLIS) this.#speaker.duck(true)
  }

  /** The visitor pauses: the utterance until now, which is over after so much more silence. */
  onPause(audio: Blob, holdMillis: number): void {
    // A sound that was too short to interrupt: a cough, or a sign of agreement.
    if (this.isAnswering) this.#speaker.duck(false)
    else void this.#ask({ audio, hold_ms: holdMillis }, false)
  }

  /** The visitor goes on after a pause, so that the turn was none yet. */
  onResumed(): void {
    if (this.#turn === undefined || this.#turn.isSure) return
    const { key } = this.#turn
    this.#drop()
    this.exchanges.value = this.exchanges.value.filter((exchange) => exchange.key !== key)
  }

  /** The utterance is over. */
  onEnd(): void {
    if (this.#turn === undefined || this.#turn.isSure) return
    this.#turn.isSure = true
    this.enter("thinking")
  }

  /** The browser has recognized an utterance. */
  onText(text: string): void {
    if (this.isAnswering) return
    void this.#ask({ text }, true)
    this.enter("thinking")
  }

  onFailure(failure: unknown): void {
    this.end("ready")
    this.failure.value = failure
  }

  /** Goes on in this phase, and lets in what may be heard in it. */
  enter(phase: Call["phase"]["value"]): void {
    this.phase.value = phase
    const hears = phase === "listening" || (this.isAnswering && this.#listener?.isInterrupting === true)
    this.#listener?.open(hears && !this.isMuted.value)
  }

  /** Ends the request of the present turn. */
  #drop(): Turn | undefined {
    const turn = this.#turn
    this.#turn = undefined
    turn?.abort.abort()
    return turn
  }

  #add(key: string, question: string): void {
    this.exchanges.value = [...this.exchanges.value, { key, question, clauses: [] }]
  }

  #answer(key: string, clause: string): void {
    this.exchanges.value = this.exchanges.value.map((exchange) =>
      exchange.key === key ? { ...exchange, clauses: [...exchange.clauses, clause] } : exchange,
    )
  }

  async #ask(fields: Fields, isSure: boolean): Promise<void> {
    this.#drop()
    const { endpoint, language } = this.options
    const turn: Turn = { key: randomUuid(), abort: new AbortController(), isSure }
    this.#turn = turn
    this.failure.value = undefined
    const form = new FormData()
    const all: Fields = { id: turn.key, language, ...this.#interrupted, ...fields }
    for (const [name, value] of Object.entries(all)) form.set(name, typeof value === "number" ? String(value) : value)
    try {
      for await (const event of turnEvents(await endpoint(form, turn.abort.signal))) {
        if (turn !== this.#turn) return
        batch(() => this.#hear(event, turn))
      }
    } catch (error) {
      if (turn === this.#turn) this.failure.value = error
    }
    if (turn === this.#turn) await this.#speaker.finished()
    if (turn !== this.#turn) return
    this.#turn = undefined
    if (this.isAnswering) this.enter("listening")
  }

  #hear(event: TurnEvent, turn: Turn): void {
    const { config, onConversation, onEvent } = this.options
    onEvent?.(event)
    if (event.type === "data-transcript" && event.data.text !== "") this.#add(turn.key, event.data.text)
    else if (event.type === "start") {
      turn.reply = event.messageId
      this.#interrupted = {}
      onConversation(event.messageMetadata.session_id)
    } else if (event.type === "data-clause") {
      this.#answer(turn.key, event.data.text)
      if (config.speaking === "browser") this.#say(event.data.text, turn)
    } else if (event.type === "data-audio") this.#say(event.data.audio, turn)
    // People have the conversation, and answer in the chat.
    else if (event.type === "data-handover") this.end()
    // The rest of the reply has no audio.
    else if (event.type === "data-notice") this.failure.value = new Error(event.data.detail)
    else if (event.type === "error") throw new Error(event.errorText)
  }

  #say(piece: string, turn: Turn): void {
    turn.isSure = true
    if (this.phase.value !== "speaking") this.enter("speaking")
    this.#speaker.add(piece)
  }
}
