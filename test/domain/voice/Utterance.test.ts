import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { InvalidRequest } from "../../../src/domain/Errors.ts"
import { utteranceOf } from "../../../src/domain/voice/Utterance.ts"
import { samplesOf, wavOf } from "../../lib/FakeSpeech.ts"

const secondsOf = (bytes: Uint8Array): number | undefined => {
  const utterance = utteranceOf(Uint8Array.from(bytes))
  return utterance instanceof InvalidRequest ? undefined : utterance.seconds
}

/** A page of Ogg that ends at this sample, with one packet. */
const page = (granule: number, packet: Buffer): Buffer => {
  const head = Buffer.alloc(27)
  head.write("OggS")
  head.writeBigInt64LE(BigInt(granule), 6)
  head[26] = Math.floor(packet.length / 255) + 1
  const sizes = Buffer.alloc(head[26], 255)
  sizes[sizes.length - 1] = packet.length % 255
  return Buffer.concat([head, sizes, packet])
}

const ogg = (seconds: number, skipped = 312): Buffer => {
  const head = Buffer.alloc(19)
  head.write("OpusHead")
  head.writeUInt16LE(skipped, 10)
  const end = seconds * 48_000 + skipped
  return Buffer.concat([
    page(0, head),
    page(0, Buffer.from("OpusTags")),
    page(end / 2, Buffer.alloc(600)),
    page(end, Buffer.alloc(30)),
  ])
}

const bytes = (...values: ReadonlyArray<number>) => Buffer.from(values)
const size = (length: number) => bytes(0x40 | (length >> 8), length & 0xff)
const element = (id: Buffer, content: Buffer) => Buffer.concat([id, size(content.length), content])
const unknown = bytes(0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
const block = (ms: number) => element(bytes(0xa3), bytes(0x81, (ms >> 8) & 0xff, ms & 0xff, 0x80, 1, 2, 3))

/** What a browser records: clusters of unknown sizes, and no duration. */
const webm = (clusters: ReadonlyArray<readonly [number, ReadonlyArray<number>]>, codec = "A_OPUS"): Buffer =>
  Buffer.concat([
    element(bytes(0x1a, 0x45, 0xdf, 0xa3), element(bytes(0x42, 0x82), Buffer.from("webm"))),
    bytes(0x18, 0x53, 0x80, 0x67),
    unknown,
    element(bytes(0x15, 0x49, 0xa9, 0x66), element(bytes(0x2a, 0xd7, 0xb1), bytes(0x0f, 0x42, 0x40))),
    element(bytes(0x16, 0x54, 0xae, 0x6b), element(bytes(0xae), element(bytes(0x86), Buffer.from(codec)))),
    ...clusters.flatMap(([time, blocks]) => [
      bytes(0x1f, 0x43, 0xb6, 0x75),
      unknown,
      element(bytes(0xe7), bytes(time >> 8, time & 0xff)),
      ...blocks.map(block),
    ]),
  ])

const seconds = Array.from({ length: 59 }, (_, second) => second)
/** The times of the frames of a second, of 2.5 ms each. */
const frames = Array.from({ length: 400 }, (_, index) => Math.floor(index * 2.5))

describe("recorded audio", () => {
  test.each([
    ["WAV", wavOf(samplesOf(1_500, 16_000), 16_000), 1.5],
    ["WAV of two channels", wavOf(samplesOf(500, 44_100, 2), 44_100, 2), 0.5],
    ["WAV that announces more than it has", wavOf(samplesOf(250, 16_000), 16_000, 1, 4_000_000_000), 0.25],
    ["WAV of a minute", wavOf(samplesOf(60_000, 8_000), 8_000), 60],
    ["Ogg", ogg(2), 2],
    [
      "WebM",
      webm([
        [0, [0, 20, 500]],
        [1_000, [0, 440]],
      ]),
      1.5,
    ],
    ["WebM of a minute in the shortest frames", webm(seconds.map((second) => [second * 1_000, frames])), 59.057],
    ["WebM whose blocks come before their cluster's time", webm([[1_000, [-40, -60]]]), 1.02],
  ])("in %s has a length", (_, audio, seconds) => {
    expect(secondsOf(audio)).toBeCloseTo(seconds, 2)
  })

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["Ogg without Opus", page(48_000, Buffer.from("vorbis, not opus"))],
    ["Ogg of more than a minute", ogg(60.1)],
    ["WebM without Opus", webm([[0, [0, 20]]], "A_VORBIS")],
    ["WebM without blocks", webm([[0, []]])],
    ["WebM of more than a minute", webm([[60_000, [500]]])],
    [
      "WebM of more blocks than a minute has",
      webm(seconds.map((second) => [second, Array.from({ length: 1_000 }, () => 0)])),
    ],
    [
      "WebM of millions of empty blocks",
      Buffer.concat([webm([[0, [0, 20]]]), Buffer.alloc(5_900_000, bytes(0xa3, 0x80))]),
    ],
    ["MP3", Buffer.from("ID3\u0003")],
    [
      "WAV of 8 bits",
      (() => {
        const eight = wavOf(samplesOf(100))
        eight.writeUInt16LE(8, 34)
        return eight
      })(),
    ],
  ])("is refused as %s", (_, audio) => {
    expect(secondsOf(audio)).toBeUndefined()
  })

  test("of any bytes is refused or has a length, and is read to its end", () => {
    const starts = [Buffer.alloc(0), ogg(1), webm([[0, [0, 20]]]), wavOf(samplesOf(20))]
    fc.assert(
      fc.property(
        fc.constantFrom(...starts),
        fc.nat({ max: 200 }),
        fc.uint8Array({ maxLength: 200 }),
        (start, at, more) => {
          const seconds = secondsOf(Buffer.concat([start.subarray(0, at), more, start.subarray(at)]))
          expect(seconds === undefined || (seconds > 0 && seconds <= 60)).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
