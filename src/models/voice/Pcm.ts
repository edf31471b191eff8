import { wavFormOf, type WavForm } from "../../domain/voice/Utterance.ts"

/** Rate of the audio that clients get, in samples of 16 bits per second: that of OpenAI's `pcm`. */
const RATE = 24_000
export const BYTES_PER_MS = (2 * RATE) / 1_000
/** Largest piece: 200 ms. */
const PIECE_BYTES = 200 * BYTES_PER_MS
/** Bytes in which the header of a WAV file has to end. */
const HEADER_BYTES = 64 * 1024

/**
 * Reads the audio of a speech server, as raw samples or as a WAV file of another rate, into pieces of mono samples. Chunks
 * may end within a sample.
 */
export class PcmReader {
  private bytes = Buffer.alloc(0)
  private form: Pick<WavForm, "channels" | "rate"> | undefined
  /** Bytes of samples that are still to come, as a WAV file announces them. */
  private left = Number.POSITIVE_INFINITY
  private samples: Array<number> = []
  /** Position of the next sample that is made among those that were read. */
  private position = 0
  private made: Array<number> = []
  private isFirst = true

  /** Returns the pieces that are complete, of which the first has all that there is; undefined for what is no audio. */
  push(chunk: Uint8Array, isOver = false): ReadonlyArray<Uint8Array> | undefined {
    this.bytes = Buffer.concat([this.bytes, chunk])
    this.form ??= this.begun()
    if (this.form === undefined) return isOver || this.bytes.length > HEADER_BYTES ? undefined : []
    const { channels, rate } = this.form
    const count = Math.floor(Math.min(this.bytes.length, this.left) / (2 * channels))
    for (let at = 0; at < count * 2 * channels; at += 2 * channels) {
      const sample = this.bytes.readInt16LE(at)
      this.samples.push(channels === 1 ? sample : (sample + this.bytes.readInt16LE(at + 2)) / 2)
    }
    this.left -= count * 2 * channels
    this.bytes = this.bytes.subarray(count * 2 * channels)
    this.resample(rate / RATE, isOver)
    return this.pieces(isOver)
  }

  private begun(): PcmReader["form"] {
    if (this.bytes.length < 4) return undefined
    if (this.bytes.toString("latin1", 0, 4) !== "RIFF") return { channels: 1, rate: RATE }
    const form = wavFormOf(this.bytes)
    // A server that streams announces no length, or the greatest one.
    if (form !== undefined && form.dataBytes > 0) this.left = form.dataBytes
    this.bytes = this.bytes.subarray(form?.dataAt ?? 0)
    return form
  }

  /** Makes samples by linear interpolation, each of which takes `step` of those that were read. */
  private resample(step: number, isOver: boolean): void {
    const last = this.samples.length - (isOver || step === 1 ? 0 : 1)
    for (; this.position < last; this.position += step) {
      const index = Math.floor(this.position)
      const one = this.samples[index] ?? 0
      this.made.push(Math.round(one + ((this.samples[index + 1] ?? one) - one) * (this.position - index)))
    }
    const read = Math.min(Math.floor(this.position), this.samples.length)
    this.samples = this.samples.slice(read)
    this.position -= read
  }

  private pieces(isOver: boolean): ReadonlyArray<Uint8Array> {
    const whole = Buffer.from(Int16Array.from(this.made).buffer)
    const isRestPassed = isOver || this.isFirst
    const end = isRestPassed ? whole.length : whole.length - (whole.length % PIECE_BYTES)
    this.made = this.made.slice(end / 2)
    this.isFirst &&= end === 0
    return Array.from({ length: Math.ceil(end / PIECE_BYTES) }, (_, index) =>
      whole.subarray(index * PIECE_BYTES, Math.min(end, (index + 1) * PIECE_BYTES)),
    )
  }
}
