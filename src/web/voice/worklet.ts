import { resampler } from "./Resampler.ts"
import { FRAME, makeVad, type Vad, type VadSettings } from "./Vad.ts"

/*
 * The processor "parley-voice" of an AudioWorklet, a bundle of its own. Its options are the `VadSettings`; it posts a
 * `VadEvent` for what it hears in its first input, and forgets the utterance at any message.
 */

// What an AudioWorkletGlobalScope has; TypeScript's libraries do not.
declare const sampleRate: number
declare const registerProcessor: (name: string, processor: unknown) => void
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

class VoiceProcessor extends AudioWorkletProcessor {
  readonly #vad: Vad
  readonly #resample = resampler(sampleRate)
  readonly #frame = new Float32Array(FRAME)
  #filled = 0

  constructor({ processorOptions }: { readonly processorOptions: VadSettings }) {
    super()
    this.#vad = makeVad(processorOptions)
    this.port.onmessage = () => this.#vad.reset()
  }

  process([input]: ReadonlyArray<ReadonlyArray<Float32Array>>): boolean {
    // Without an input there is no microphone, or not yet.
    for (const sample of input?.[0] === undefined ? [] : this.#resample(input[0])) {
      this.#frame[this.#filled] = sample
      this.#filled = (this.#filled + 1) % FRAME
      if (this.#filled !== 0) continue
      for (const event of this.#vad.push(this.#frame.slice())) {
        this.port.postMessage(event, event.type === "paused" ? [event.samples.buffer] : [])
      }
    }
    return true
  }
}
registerProcessor("parley-voice", VoiceProcessor)
