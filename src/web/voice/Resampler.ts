import { SAMPLE_RATE } from "./Wav.ts"

/** Zero crossings of the filter to each side: enough that nothing is heard of what 16 kHz cannot hold. */
const CROSSINGS = 12
/** The part of the band that is kept whole. */
const PASS = 0.92

/** The greatest common divisor. */
const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other))

/** Returns a function that turns pieces of a stream of samples at a rate into pieces of the same stream at 16 kHz. */
export const resampler = (rate: number): ((piece: Float32Array) => Float32Array) => {
  if (rate === SAMPLE_RATE) return (piece) => piece.slice()
  const common = divisor(rate, SAMPLE_RATE)
  // Output sample n lies at n * step / phases of the input.
  const [phases, step] = [SAMPLE_RATE / common, rate / common]
  const band = Math.min(1, SAMPLE_RATE / rate) * PASS
  const reach = Math.ceil(CROSSINGS / band)
  const kernels = Array.from({ length: phases }, (_, phase) =>
    Float32Array.from({ length: 2 * reach }, (__, tap) => {
      const distance = tap - reach + 1 - phase / phases
      const angle = Math.PI * distance * band
      const window = Math.cos((Math.PI * distance) / (2 * reach + 2)) ** 2
      return (angle === 0 ? band : (Math.sin(angle) / angle) * band) * window
    }),
  )
  let kept = new Float32Array(2 * reach - 1)
  // The place of the next output sample in what is kept: a whole number of input samples, and the phase beyond it.
  let [place, phase] = [0, 0]
  return (piece) => {
    const input = new Float32Array(kept.length + piece.length)
    input.set(kept)
    input.set(piece, kept.length)
    const output: Array<number> = []
    while (place + 2 * reach <= input.length) {
      let sum = 0
      for (const [tap, weight] of (kernels[phase] ?? []).entries()) sum += weight * (input[place + tap] ?? 0)
      output.push(sum)
      phase += step
      place += Math.floor(phase / phases)
      phase %= phases
    }
    kept = input.slice(Math.min(place, input.length))
    place -= input.length - kept.length
    return Float32Array.from(output)
  }
}
