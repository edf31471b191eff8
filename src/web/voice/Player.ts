import type { Fields, Speaker } from "./Call.ts"
import { samplesOf } from "./Turns.ts"

const SAMPLE_RATE = 24_000
/** A first piece begins this much later, in seconds, so that the next one is there before it ends. */
const LEAD = 0.04
const DUCKED_GAIN = 0.2
/** Time constant, in seconds, in which the volume changes without a click. */
const FADE = 0.01

/** Plays the audio of replies, and knows by the audio clock how much of one was heard. */
export class Player implements Speaker {
  /** Of the rate of the audio, so that nothing is resampled where one piece meets the next. */
  readonly #context = new AudioContext({ sampleRate: SAMPLE_RATE })
  readonly #gain = this.#context.createGain()
  #pieces: Array<{ readonly source: AudioBufferSourceNode; readonly start: number; readonly end: number }> = []

  start(): void {
    this.#gain.connect(this.#context.destination)
    void this.#context.resume()
  }

  add(base64: string): void {
    const samples = samplesOf(base64)
    if (samples.length === 0) return
    const { currentTime } = this.#context
    if (this.#pieces.length === 0) this.duck(false)
    const source = this.#context.createBufferSource()
    source.buffer = this.#context.createBuffer(1, samples.length, SAMPLE_RATE)
    source.buffer.copyToChannel(samples, 0)
    source.connect(this.#gain)
    const last = this.#pieces.at(-1)?.end ?? 0
    const start = last > currentTime ? last : currentTime + LEAD
    source.start(start)
    this.#pieces.push({ source, start, end: start + samples.length / SAMPLE_RATE })
  }

  async finished(): Promise<void> {
    const pieces = this.#pieces
    const last = pieces.at(-1)
    // Also where the piece is stopped.
    if (last !== undefined && last.end > this.#context.currentTime)
      await new Promise((resolve) => (last.source.onended = resolve))
    if (this.#pieces === pieces) this.#pieces = []
  }

  duck(isDucked: boolean): void {
    this.#fade(isDucked ? DUCKED_GAIN : 1)
  }

  stop(): Fields {
    // What has left the context is on its way to the ear for a while, to a wireless headset for long.
    const now = this.#context.currentTime - (this.#context.outputLatency || 0)
    const seconds = this.#pieces.map(({ end, start }) => Math.min(Math.max(now - start, 0), end - start))
    this.#fade(0)
    for (const { source } of this.#pieces) source.stop(this.#context.currentTime + 5 * FADE)
    this.#pieces = []
    return { heard_ms: Math.round(seconds.reduce((sum, one) => sum + one, 0) * 1_000) }
  }

  close(): void {
    // Once the sound has faded. A call is closed again when its dialog goes.
    setTimeout(() => this.#context.state !== "closed" && void this.#context.close(), 10_000 * FADE)
  }

  #fade(gain: number): void {
    this.#gain.gain.setTargetAtTime(gain, this.#context.currentTime, FADE)
  }
}
