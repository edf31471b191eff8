import { espeak } from "./Programs.ts"

/*
 * Speech by espeak-ng, which is looked for at PARLEY_ESPEAK when it is set, else on the search path.
 */

export interface Voice {
  /** A language of espeak-ng, with one of its speakers: `en+f2`. */
  readonly voice: string
  /** Words in a minute. */
  readonly speed?: number
}

/** A WAV file of 22.05 kHz in which a text is spoken. */
export const spoken = async (text: string, { speed = 160, voice }: Voice): Promise<Uint8Array<ArrayBuffer>> => {
  if (espeak === null) throw new Error("espeak-ng is not installed; install it, or name it in PARLEY_ESPEAK.")
  const child = Bun.spawn([espeak, "--stdout", "-v", voice, "-s", String(speed), "--", text], { stderr: "pipe" })
  const [audio, said] = await Promise.all([new Response(child.stdout).arrayBuffer(), new Response(child.stderr).text()])
  const wav = new Uint8Array(audio)
  if ((await child.exited) !== 0 || wav.length <= WAV_HEADER) throw new Error(`espeak-ng says: ${said}`)
  // It writes to a pipe, and so leaves the lengths open.
  const view = new DataView(wav.buffer)
  view.setUint32(4, wav.length - 8, true)
  view.setUint32(40, wav.length - WAV_HEADER, true)
  return wav
}

/** The bytes before the samples of a plain WAV file. */
export const WAV_HEADER = 44
/** Samples in a second of what `spoken` returns. */
export const SPOKEN_RATE = 22_050

/** The samples of a plain WAV file of 16 bits, between -1 and 1. */
export const samplesOf = (wav: Uint8Array<ArrayBuffer>): Float32Array =>
  Float32Array.from(new Int16Array(wav.buffer, WAV_HEADER, (wav.length - WAV_HEADER) >> 1), (value) => value / 0x80_00)
