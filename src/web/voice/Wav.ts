/** Samples in a second of everything that is listened to. */
export const SAMPLE_RATE = 16_000

/** The bytes before the samples of a WAV file. */
const HEADER_LENGTH = 44

/** Mono samples between -1 and 1, at 16 kHz, as a WAV file of 16 bits (PCM). */
export const wavOf = (samples: Float32Array): Blob => {
  const view = new DataView(new ArrayBuffer(HEADER_LENGTH + samples.length * 2))
  const text = (offset: number, value: string) => {
    for (let index = 0; index < value.length; index++) view.setUint8(offset + index, value.charCodeAt(index))
  }
  text(0, "RIFF")
  view.setUint32(4, view.byteLength - 8, true)
  text(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  // PCM, one channel, then bytes in a second, bytes and bits in a sample.
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, SAMPLE_RATE, true)
  view.setUint32(28, SAMPLE_RATE * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, "data")
  view.setUint32(40, samples.length * 2, true)
  for (const [index, sample] of samples.entries()) {
    view.setInt16(HEADER_LENGTH + index * 2, Math.max(-1, Math.min(1, sample)) * 0x7f_ff, true)
  }
  return new Blob([view.buffer], { type: "audio/wav" })
}
