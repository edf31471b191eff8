import { wavOf } from "../../../src/web/voice/Wav.ts"

/*
 * What a fake microphone hears: a voice without words.
 */

export const RATE = 16_000

/** A voice of so many seconds: a buzz with two formants, in syllables of a quarter of a second. */
export const voice = (seconds: number): ReadonlyArray<number> => {
  const pitch = 130
  return Array.from({ length: Math.round(seconds * RATE) }, (_, at) => {
    const time = at / RATE
    const syllable = Math.max(0, Math.sin(Math.PI * ((time * 4) % 1))) ** 0.5
    let sum = 0
    for (let harmonic = 1; harmonic <= 24; harmonic++) {
      const frequency = harmonic * pitch
      const formants = 1 / (1 + ((frequency - 600) / 250) ** 2) + 0.5 / (1 + ((frequency - 1_500) / 300) ** 2)
      sum += formants * Math.sin(2 * Math.PI * frequency * time)
    }
    return 0.12 * syllable * sum
  })
}

export const silence = (seconds: number): ReadonlyArray<number> =>
  Array.from({ length: Math.round(seconds * RATE) }, () => (Math.random() - 0.5) * 0.001)

/** A recording: seconds of silence and of speech in turn, the first of silence. */
export const recording = (...seconds: ReadonlyArray<number>): Blob =>
  wavOf(Float32Array.from(seconds.flatMap((one, index) => (index % 2 === 0 ? silence(one) : voice(one)))))
