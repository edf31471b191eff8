import { InvalidRequest } from "../Errors.ts"

/*
 * The audio of one spoken turn, as browsers record it: told by its content, and measured without decoding it.
 */

/** Longest utterance. */
const UTTERANCE_MAX_SECONDS = 60
/** Largest utterance: a minute at 48 kHz. */
export const UTTERANCE_MAX_BYTES = 6 * 1024 * 1024

export interface Utterance {
  readonly bytes: Uint8Array
  readonly mediaType: "audio/wav" | "audio/ogg" | "audio/webm"
  readonly seconds: number
}

/** The fields of a WAV file that say how its samples are to be read, and where they begin. */
export interface WavForm {
  readonly rate: number
  readonly channels: number
  readonly dataAt: number
  /** Bytes of the samples, as the file announces them; servers that stream do not know them. */
  readonly dataBytes: number
}

const viewOf = ({ buffer, byteLength, byteOffset }: Uint8Array) => new DataView(buffer, byteOffset, byteLength)

const tag = (bytes: Uint8Array, at: number, length = 4): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))

/** Whether bytes begin as a RIFF file does. */
export const isRiff = (bytes: Uint8Array): boolean => tag(bytes, 0) === "RIFF"

/**
 * Reads the header of a WAV file with samples of 16 bits. Returns undefined where it is not complete, and `invalid` where it
 * is none.
 */
export const wavFormOf = (bytes: Uint8Array): WavForm | "invalid" | undefined => {
  if (bytes.length < 12) return undefined
  if (!isRiff(bytes) || tag(bytes, 8) !== "WAVE") return "invalid"
  const view = viewOf(bytes)
  let form: { readonly rate: number; readonly channels: number } | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const [name, size] = [tag(bytes, at), view.getUint32(at + 4, true)]
    if (name === "data") return form === undefined ? "invalid" : { ...form, dataAt: at + 8, dataBytes: size }
    if (name === "fmt ") {
      if (size < 16) return "invalid"
      if (at + 24 > bytes.length) return undefined
      const [kind, channels, rate] = [
        view.getUint16(at + 8, true),
        view.getUint16(at + 10, true),
        view.getUint32(at + 12, true),
      ]
      const isPcm = (kind === 1 || kind === 0xfffe) && view.getUint16(at + 22, true) === 16
      if (!isPcm || channels < 1 || channels > 2 || rate < 8_000 || rate > 48_000) return "invalid"
      form = { rate, channels }
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

const secondsOfWav = (bytes: Uint8Array): number | undefined => {
  const form = wavFormOf(bytes)
  if (form === undefined || form === "invalid") return undefined
  const size = Math.min(form.dataBytes, bytes.length - form.dataAt)
  return size / (2 * form.channels * form.rate)
}

/** Opus counts its samples at 48 kHz, whatever was recorded. */
const OPUS_RATE = 48_000

const secondsOfOgg = (bytes: Uint8Array): number | undefined => {
  const view = viewOf(bytes)
  let skipped: number | undefined
  let last = 0
  for (let at = 0; at + 27 <= bytes.length;) {
    if (tag(bytes, at) !== "OggS") return undefined
    const segments = bytes.subarray(at + 27, at + 27 + (bytes[at + 26] ?? 0))
    const body = at + 27 + segments.length
    if (skipped === undefined) {
      if (tag(bytes, body, 8) !== "OpusHead" || body + 12 > bytes.length) return undefined
      skipped = view.getUint16(body + 10, true)
    }
    const samples = view.getBigInt64(at + 6, true)
    if (samples > 0n) last = Math.max(last, Number(samples))
    at = body + segments.reduce((sum, size) => sum + size, 0)
  }
  return skipped === undefined ? undefined : Math.max(0, last - skipped) / OPUS_RATE
}

/** Ids of the elements of WebM that are read or entered; all others are skipped. */
const webm = { segment: 0x18538067, cluster: 0x1f43b675, info: 0x1549a966, group: 0xa0, scale: 0x2ad7b1, time: 0xe7 }
const blocks = new Set([0xa1, 0xa3])
const entered = new Set([webm.segment, webm.cluster, webm.info, webm.group])
/** Longest frame of Opus, in milliseconds. */
const FRAME_MS = 60

const secondsOfWebm = (bytes: Uint8Array): number | undefined => {
  const number = (at: number, length: number) =>
    bytes.subarray(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0)
  let [scale, cluster, last] = [1_000_000, 0, -1]
  for (let at = 0; at < bytes.length;) {
    const idLength = Math.clz32(bytes[at] ?? 0) - 23
    const sizeLength = Math.clz32(bytes[at + idLength] ?? 0) - 23
    if (idLength > 4 || sizeLength > 8) return undefined
    const id = number(at, idLength)
    const size = number(at + idLength, sizeLength) - 2 ** (8 * sizeLength - sizeLength)
    at += idLength + sizeLength
    if (entered.has(id)) continue
    if (id === webm.scale) scale = number(at, size)
    if (id === webm.time) cluster = number(at, size)
    // The number of the track has one byte, and the time since the beginning of the cluster two.
    if (blocks.has(id)) last = Math.max(last, cluster + ((number(at + 1, 2) << 16) >> 16))
    at += size
  }
  const isOpus = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4_096)).includes("A_OPUS")
  return last < 0 || !isOpus ? undefined : (last * scale) / 1e9 + FRAME_MS / 1_000
}

const EBML = "\x1a\x45\xdf\xa3"

/** Reads the form and the length of recorded audio. */
export const utteranceOf = (bytes: Uint8Array): Utterance | InvalidRequest => {
  const start = tag(bytes, 0)
  const [mediaType, seconds] =
    start === "OggS"
      ? (["audio/ogg", secondsOfOgg(bytes)] as const)
      : start === EBML
        ? (["audio/webm", secondsOfWebm(bytes)] as const)
        : (["audio/wav", secondsOfWav(bytes)] as const)
  if (seconds === undefined) {
    return InvalidRequest.at("audio", "Expected WAV with 16 bits (8 to 48 kHz), or Opus in Ogg or WebM")
  }
  return seconds > 0 && seconds <= UTTERANCE_MAX_SECONDS
    ? { bytes, mediaType, seconds }
    : InvalidRequest.at("audio", `Expected audio of at most ${UTTERANCE_MAX_SECONDS} seconds, and not of none`)
}
