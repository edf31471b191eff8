/** Samples in a second of everything that is listened to. */
export const SAMPLE_RATE = 16_000

/** Mono samples between -1 and 1, at 16 kHz, as a WAV file of 16 bits (PCM). */
export const wavOf = (samples: Float32Array): Blob => {
  const length = samples.length * 2
  // "RIFF", its length, "WAVEfmt " of 16 bytes: PCM of one channel, its rate in samples and in bytes, 2 bytes and 16 bits; "data".
  const header = [0x46464952, length + 36, 0x45564157, 0x20746d66, 16, 0x10001, SAMPLE_RATE, SAMPLE_RATE * 2, 0x100002]
  const words = [...header, 0x61746164, length]
  const view = new DataView(new ArrayBuffer(words.length * 4 + length))
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word, true)
  for (const [index, sample] of samples.entries()) {
    view.setInt16(words.length * 4 + index * 2, Math.max(-1, Math.min(1, sample)) * 0x7fff, true)
  }
  return new Blob([view.buffer], { type: "audio/wav" })
}
