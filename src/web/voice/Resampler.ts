import { SAMPLE_RATE } from "./Wav.ts"

/**
 * Returns a function that turns pieces of a stream of samples at a rate into pieces of the same stream at 16 kHz. Each
 * sample is the mean of the time it stands for: what a sharper filter keeps out of speech changes nothing that is understood.
 */
export const resampler = (rate: number): ((piece: Float32Array) => Float32Array) => {
  const step = rate / SAMPLE_RATE
  let [sum, room] = [0, step]
  return (piece) => {
    const output: Array<number> = []
    for (const sample of piece) {
      let rest = 1
      for (; rest >= room; sum = 0, room = step) {
        output.push((sum + sample * room) / step)
        rest -= room
      }
      sum += sample * rest
      room -= rest
    }
    return Float32Array.from(output)
  }
}
