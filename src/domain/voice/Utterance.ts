import { InvalidRequest } from "../Errors.ts"

/*
 * The audio of one spoken turn, as browsers record it: told by its content, and measured without decoding it.
 */

const UTTERANCE_MAX_SECONDS = 60
/** Largest utterance: a minute at 48 kHz. */
export const UTTERANCE_MAX_BYTES = 6 * 1024 * 1024

export interface Utterance {
  /** The recording as a file, which is sent on without another copy of it. */
  readonly file: Blob
  readonly mediaType: "audio/wav" | "audio/ogg" | "audio/webm"
  readonly seconds: number
}

/** Form of the samples of a WAV file, where they begin, and their bytes as the file announces them. */
export interface WavForm {
  readonly rate: number
  readonly channels: number
  readonly dataAt: number
  readonly dataBytes: number
}

/** Reads the header of a WAV file with samples of 16 bits; undefined where it is not whole, or none. */
export const wavFormOf = (file: Buffer): WavForm | undefined => {
  if (file.length < 44 || file.toString("latin1", 8, 16) !== "WAVEfmt ") return undefined
  const [kind, channels, rate] = [file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24)]
  const isPcm = (kind === 1 || kind === 0xfffe) && file.readUInt16LE(34) === 16
  const at = file.indexOf("data", 20 + file.readUInt32LE(16))
  if (!isPcm || channels < 1 || channels > 2 || rate < 8_000 || rate > 48_000 || at === -1) return undefined
  return at + 8 > file.length ? undefined : { rate, channels, dataAt: at + 8, dataBytes: file.readUInt32LE(at + 4) }
}

const secondsOfWav = (file: Buffer): number | undefined => {
  const form = wavFormOf(file)
  return form && Math.min(form.dataBytes, file.length - form.dataAt) / (2 * form.channels * form.rate)
}

/** The last page of Ogg says how many samples of Opus there are, at 48 kHz; the first one how many are left out. */
const secondsOfOgg = (file: Buffer): number | undefined => {
  const last = file.lastIndexOf("OggS")
  if (file.toString("latin1", 28, 36) !== "OpusHead" || file.length < Math.max(40, last + 14)) return undefined
  return (Number(file.readBigInt64LE(last + 6)) - file.readUInt16LE(38)) / 48_000
}

/** Elements of WebM that are entered: the segment, its clusters and its description, and groups of blocks. */
const entered = new Set([0x18538067, 0x1f43b675, 0x1549a966, 0xa0])
/** Longest frame of Opus, in seconds. */
const FRAME = 0.06
/** Most elements of WebM that are looked at: a minute in the shortest frames of Opus, of 2.5 ms, has half as many. */
const ELEMENTS_MAX = 50_000
/** Longest number, in bytes. */
const NUMBER_MAX = 8

/** What browsers record names no length: it is the time of the last block, which its cluster and itself say. */
const secondsOfWebm = (file: Buffer): number | undefined => {
  const number = (at: number, length: number) => {
    let value = 0
    for (let index = 0; index < Math.min(length, NUMBER_MAX); index++) value = value * 256 + (file[at + index] ?? 0)
    return value
  }
  let [scale, cluster, last] = [1e6, 0, -1]
  for (let [at, left] = [0, ELEMENTS_MAX]; at < file.length; left--) {
    if (left === 0) return undefined
    const [idLength, sizeAt] = [Math.clz32(file[at] ?? 0) - 23, at + Math.clz32(file[at] ?? 0) - 23]
    const sizeLength = Math.clz32(file[sizeAt] ?? 0) - 23
    const id = number(at, idLength)
    at = sizeAt + sizeLength
    if (entered.has(id)) continue
    const size = number(sizeAt, sizeLength) - 2 ** (7 * sizeLength)
    if (id === 0x2ad7b1) scale = number(at, size)
    if (id === 0xe7) cluster = number(at, size)
    if (id === 0xa1 || id === 0xa3) last = Math.max(last, cluster + ((number(at + 1, 2) << 16) >> 16))
    at += Math.max(0, size)
  }
  return last < 0 || !file.subarray(0, 4_096).includes("A_OPUS") ? undefined : (last * scale) / 1e9 + FRAME
}

const formats = [
  ["RIFF", "audio/wav", secondsOfWav],
  ["OggS", "audio/ogg", secondsOfOgg],
  ["\x1a\x45\xdf\xa3", "audio/webm", secondsOfWebm],
] as const

/** Reads the form and the length of recorded audio. */
export const utteranceOf = (bytes: Uint8Array<ArrayBuffer>): Utterance | InvalidRequest => {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (const [start, mediaType, secondsOf] of formats) {
    if (content.toString("latin1", 0, 4) !== start) continue
    const seconds = secondsOf(content)
    if (seconds === undefined || seconds <= 0 || seconds > UTTERANCE_MAX_SECONDS) continue
    return { file: new Blob([bytes], { type: mediaType }), mediaType, seconds }
  }
  return InvalidRequest.at(
    "audio",
    `Expected WAV with 16 bits (8 to 48 kHz), or Opus in Ogg or WebM, of at most ${UTTERANCE_MAX_SECONDS} seconds`,
  )
}
