import { expect, test } from "bun:test"
import { resampler } from "../../../src/web/voice/Resampler.ts"
import { FRAME, makeVad, type VadEvent } from "../../../src/web/voice/Vad.ts"
import { SAMPLE_RATE, wavOf } from "../../../src/web/voice/Wav.ts"
import { random } from "../../lib/Random.ts"

const settings = { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 700 }

/** Something like speech: a voice of many harmonics in syllables. */
const speech = (ms: number, loudness = 0.1) =>
  Array.from({ length: (ms * SAMPLE_RATE) / 1_000 }, (_, index) => {
    const seconds = index / SAMPLE_RATE
    const harmonics = [1, 2, 3, 4, 5, 6].map((number) => Math.sin(2 * Math.PI * 140 * number * seconds) / number)
    const syllable = 0.55 + 0.45 * Math.sin(2 * Math.PI * 4 * seconds)
    return harmonics.reduce((one, other) => one + other) * syllable * loudness
  })
const silence = (ms: number) => Array.from({ length: (ms * SAMPLE_RATE) / 1_000 }, () => 0)
const noise = (ms: number, loudness: number) => {
  const draw = random(7)
  return Array.from({ length: (ms * SAMPLE_RATE) / 1_000 }, () => (draw() - 0.5) * 2 * loudness)
}

const hear = (samples: ReadonlyArray<number>, changed: Partial<typeof settings> = {}): ReadonlyArray<VadEvent> => {
  const vad = makeVad({ ...settings, ...changed })
  const draw = random(3)
  const room = Float32Array.from(samples, (sample) => sample + (draw() - 0.5) * 0.001)
  return Array.from({ length: Math.floor(room.length / FRAME) }, (_, index) =>
    vad.push(room.slice(index * FRAME, (index + 1) * FRAME)),
  ).flat()
}
const kinds = (events: ReadonlyArray<VadEvent>) =>
  events
    .map(({ type }) => type)
    .filter((type) => type !== "level")
    .join(" ")
const secondsOf = (events: ReadonlyArray<VadEvent>) =>
  events.flatMap((event) => (event.type === "paused" ? [event.samples.length / SAMPLE_RATE] : []))

test("What is said with a pause in it is one utterance, which may be answered before it is over", () => {
  const events = hear([...silence(1_000), ...speech(1_000), ...silence(450), ...speech(1_000), ...silence(1_500)])
  expect(kinds(events)).toBe("began paused resumed paused ended")
  const [first = 0, whole = 0] = secondsOf(events)
  // 300 ms before it, and 200 ms of silence after it.
  expect(first).toBeWithin(1.4, 1.9)
  expect(whole).toBeWithin(2.85, 3.35)
  expect(events.flatMap((event) => (event.type === "paused" ? [event.holdMs] : []))).toEqual([500, 500])
})

test("The configured silence ends an utterance, and the configured prefix is sent with it", () => {
  const heard = [...silence(1_500), ...speech(1_000), ...silence(450), ...speech(1_000), ...silence(1_500)]
  expect(kinds(hear(heard, { silence_duration_ms: 300 }))).toBe("began paused ended began paused ended")
  expect(kinds(hear(heard, { silence_duration_ms: 100 }))).toBe("began paused ended began paused ended")
  const [short = 0] = secondsOf(hear(heard, { prefix_padding_ms: 0 }))
  const [long = 0] = secondsOf(hear(heard, { prefix_padding_ms: 1_000 }))
  expect(long - short).toBeCloseTo(1, 5)
})

test("Nothing but noise, knocks and whispers from afar is no utterance", () => {
  expect(kinds(hear(noise(5_000, 0.05)))).toBe("")
  expect(
    kinds(hear([...silence(1_000), ...noise(250, 0.5), ...silence(500), ...noise(30, 0.9), ...silence(1_000)])),
  ).toBe("")
  expect(kinds(hear([...silence(1_000), ...speech(1_000, 0.001), ...silence(1_000)]))).toBe("")
})

test("Speech in noise is heard, and ends although the noise goes on", () => {
  const heard = [...silence(2_000), ...speech(1_500), ...silence(2_000)]
  const loud = noise(5_500, 0.04)
  expect(kinds(hear(heard.map((sample, index) => sample + (loud[index] ?? 0))))).toMatch(/^began paused.* ended$/)
})

test("A higher threshold wants louder speech", () => {
  const heard = [...silence(1_000), ...speech(1_000, 0.012), ...silence(1_000)]
  expect(kinds(hear(heard, { threshold: 0.1 }))).toContain("ended")
  expect(kinds(hear(heard, { threshold: 1 }))).toBe("")
})

test("Whoever speaks without end is answered after a minute", () => {
  const events = hear([...silence(500), ...speech(70_000)])
  expect(kinds(events)).toStartWith("began paused ended began")
  expect(secondsOf(events)[0]).toBeLessThan(60)
})

test("The volume is told all the time, and how long somebody has been speaking", () => {
  const levels = hear([...silence(600), ...speech(900)]).flatMap((event) => (event.type === "level" ? [event] : []))
  expect(levels).toHaveLength(25)
  expect(levels[5]).toMatchObject({ speechMs: 0 })
  expect(levels.at(-1)?.speechMs).toBeWithin(700, 920)
  expect(levels.at(-1)?.level).toBeGreaterThan((levels[5]?.level ?? 1) + 0.3)
})

test("What was said before a reset is forgotten", () => {
  const vad = makeVad(settings)
  const push = (samples: ReadonlyArray<number>) =>
    Array.from({ length: samples.length / FRAME }, (_, index) =>
      vad.push(Float32Array.from(samples.slice(index * FRAME, (index + 1) * FRAME))),
    ).flat()
  expect(kinds(push([...silence(1_000), ...speech(1_000)]))).toBe("began")
  vad.reset()
  expect(kinds(push(silence(1_500)))).toBe("")
})

test("Every sample rate of a microphone becomes 16 kHz, in pieces of any length", () => {
  for (const rate of [8_000, 16_000, 22_050, 44_100, 48_000, 96_000]) {
    const resample = resampler(rate)
    const sine = Float32Array.from({ length: rate }, (_, index) => Math.sin((2 * Math.PI * 440 * index) / rate))
    const pieces = Array.from({ length: Math.ceil(rate / 128) }, (_, index) => [
      ...resample(sine.subarray(index * 128, (index + 1) * 128)),
    ]).flat()
    expect(Math.abs(pieces.length - SAMPLE_RATE)).toBeLessThan(3)
    const crossings = pieces.filter((sample, index) => sample >= 0 && (pieces[index - 1] ?? 0) < 0).length
    expect(crossings).toBeWithin(438, 442)
    expect(Math.max(...pieces)).toBeWithin(0.95, 1.01)
  }
})

test("Samples become a WAV file that says what it is", async () => {
  const file = wavOf(Float32Array.of(0, 1, -1, 2, 0.5))
  const view = new DataView(await file.arrayBuffer())
  const text = (at: number, length: number) => new TextDecoder().decode(view.buffer.slice(at, at + length))
  expect([text(0, 4), text(8, 8), text(36, 4), file.type]).toEqual(["RIFF", "WAVEfmt ", "data", "audio/wav"])
  expect([view.getUint32(4, true), view.getUint32(40, true), view.getUint32(24, true)]).toEqual([46, 10, 16_000])
  expect([0, 1, 2, 3, 4].map((index) => view.getInt16(44 + index * 2, true))).toEqual([0, 32767, -32767, 32767, 16383])
})
