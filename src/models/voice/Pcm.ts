import { isRiff, wavFormOf } from "../../domain/voice/Utterance.ts"

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
  private bytes: Uint8Array = new Uint8Array()
  private form: { readonly channels: number; readonly rate: number } | undefined
  /** Bytes of samples that are still to come, as a WAV file announces them. */
  private left = Number.POSITIVE_INFINITY
  private samples: Array<number> = []
  /** Position of the next sample that is made among those that were read last, by its fraction. */
  private position = 0
  private isFirst = true

  /** Returns the pieces that are complete, of which the first has whatever there is; undefined for what is no audio. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> | undefined {
    this.bytes = Buffer.concat([this.bytes, chunk])
    if (this.form === undefined && !this.begin()) return this.bytes.length > HEADER_BYTES ? undefined : []
    const { channels = 1, rate = RATE } = this.form ?? {}
    const frame = 2 * channels
    const usable = Math.min(this.bytes.length, this.left)
    const count = Math.floor(usable / frame)
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
    for (let index = 0; index < count; index++) {
      const sample = view.getInt16(index * frame, true)
      this.samples.push(channels === 1 ? sample : (sample + view.getInt16(index * frame + 2, true)) / 2)
    }
    this.left -= count * frame
    this.bytes = this.bytes.subarray(count * frame)
    return this.pieces(this.resampled(rate / RATE), this.isFirst)
  }

  /** Returns the last piece, if there is one. */
  end(): ReadonlyArray<Uint8Array> {
    return this.pieces(this.resampled((this.form?.rate ?? RATE) / RATE, true), true)
  }

  private made: Array<number> = []

  /** Whether the audio has begun. */
  private begin(): boolean {
    if (this.bytes.length < 4) return false
    if (!isRiff(this.bytes)) {
      this.form = { channels: 1, rate: RATE }
      return true
    }
    const form = wavFormOf(this.bytes)
    if (form === undefined || form === "invalid") return false
    this.form = form
    // A server that streams announces no length, or the greatest one.
    if (form.dataBytes > 0) this.left = form.dataBytes
    this.bytes = this.bytes.subarray(form.dataAt)
    return true
  }

  /** Moves samples of the source, of which each made one takes `step`, to those of the target, by linear interpolation. */
  private resampled(step: number, isOver = false): Array<number> {
    const { made, samples } = this
    const last = samples.length - (isOver || step === 1 ? 0 : 1)
    for (; this.position < last; this.position += step) {
      const index = Math.floor(this.position)
      const one = samples[index] ?? 0
      const part = this.position - index
      made.push(Math.round(one + ((samples[index + 1] ?? one) - one) * part))
    }
    const read = Math.min(Math.floor(this.position), samples.length)
    this.samples = samples.slice(read)
    this.position -= read
    return made
  }

  private pieces(samples: ReadonlyArray<number>, isWhole: boolean): ReadonlyArray<Uint8Array> {
    const whole = Buffer.from(Int16Array.from(samples).buffer)
    const pieces: Array<Uint8Array> = []
    let at = 0
    for (; at + PIECE_BYTES <= whole.length; at += PIECE_BYTES) pieces.push(whole.subarray(at, at + PIECE_BYTES))
    if (isWhole && at < whole.length) {
      pieces.push(whole.subarray(at))
      at = whole.length
    }
    this.made = samples.slice(at / 2)
    if (pieces.length > 0) this.isFirst = false
    return pieces
  }
}
