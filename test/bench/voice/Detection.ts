import { FRAME, makeVad, type VadSettings } from "../../../src/web/voice/Vad.ts"
import {
  babble,
  conversation,
  type Language,
  RATE,
  type Scene,
  white,
  withCoughs,
  withNoise,
  withSpeaker,
} from "./Scenes.ts"

/*
 * Turns that are detected, cut too early or missed, in what a visitor may sound like.
 */

/** What was heard, in samples: from the first sample that a server gets to the last, and when it was known to be over. */
interface Heard {
  readonly start: number
  readonly end: number
  readonly known: number
}

interface Score {
  turns: number
  /** As one utterance, whole, and over before the next. */
  whole: number
  /** Ended before they did. */
  cut: number
  missed: number
  /** The beginning or the end of the words is missing. */
  clipped: number
  /** Utterances in which nobody says anything to the microphone. */
  false: number
  /** Milliseconds from the end of speech to the end of the turn. */
  delays: Array<number>
  /** Milliseconds from the beginning of a turn until it would have interrupted the chatbot. */
  interruptions: Array<number>
  /** Turns sent after 200 ms of silence that went on. */
  withdrawn: number
  minutes: number
}

const settings: VadSettings = { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 700 }

/** Speech that interrupts the chatbot, see `src/web/voice/Call.ts`. Its sound fades within 50 ms then. */
const INTERRUPTING_MS = 500

const heardIn = (samples: Float32Array) => {
  const vad = makeVad(settings)
  const heard: Array<Heard> = []
  let withdrawn = 0
  const interrupted: Array<number> = []
  let utterance = { start: 0, end: 0 }
  let isInterrupted = false
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    for (const event of vad.push(samples.slice(at, at + FRAME))) {
      if (event.type === "began") isInterrupted = false
      if (event.type === "level" && event.speechMs >= INTERRUPTING_MS && !isInterrupted) {
        isInterrupted = true
        interrupted.push(at + FRAME)
      }
      if (event.type === "paused") utterance = { start: at + FRAME - event.samples.length, end: at + FRAME }
      if (event.type === "resumed") withdrawn += 1
      if (event.type === "ended") heard.push({ ...utterance, known: at + FRAME })
    }
  }
  return { heard, withdrawn, interrupted }
}

/** In samples: as much of the first or last sound as nobody misses. */
const BLURRED = 0.06 * RATE

/** Compares what is heard with the truth. */
const scoreOf = ({ samples, turns }: Scene): Score => {
  const { heard, interrupted, withdrawn } = heardIn(samples)
  const found: Score = {
    turns: turns.length,
    whole: 0,
    cut: 0,
    missed: 0,
    clipped: 0,
    false: 0,
    delays: [],
    interruptions: [],
    withdrawn,
    minutes: samples.length / RATE / 60,
  }
  const used = new Set<Heard>()
  for (const [index, turn] of turns.entries()) {
    const next = turns[index + 1]?.start ?? samples.length
    const within = heard.filter(({ end, start }) => start < turn.end && end > turn.start)
    for (const one of within) used.add(one)
    const interruption = interrupted.find((at) => at > turn.start && at < turn.end)
    if (interruption !== undefined) found.interruptions.push(((interruption - turn.start) / RATE) * 1_000)
    const [first, last] = [within[0], within.at(-1)]
    if (first === undefined || last === undefined) found.missed += 1
    else if (within.some(({ known }) => known < turn.end)) found.cut += 1
    else if (first.start > turn.start + BLURRED || last.end < turn.end - BLURRED) found.clipped += 1
    else if (within.length === 1 && last.known < next) {
      found.whole += 1
      found.delays.push(((last.known - turn.end) / RATE) * 1_000)
    }
  }
  found.false = heard.filter((one) => !used.has(one)).length
  return found
}

const sum = (scores: ReadonlyArray<Score>): Score =>
  scores.reduce((one, other) => ({
    turns: one.turns + other.turns,
    whole: one.whole + other.whole,
    cut: one.cut + other.cut,
    missed: one.missed + other.missed,
    clipped: one.clipped + other.clipped,
    false: one.false + other.false,
    delays: [...one.delays, ...other.delays],
    interruptions: [...one.interruptions, ...other.interruptions],
    withdrawn: one.withdrawn + other.withdrawn,
    minutes: one.minutes + other.minutes,
  }))

/** The scenes of a language by what is heard in them. */
const scenesOf = async (language: Language, seed: number): Promise<Readonly<Record<string, Scene>>> => {
  const plain = await conversation(language, seed)
  const { length } = plain.samples
  const crowd = await babble(length)
  const hiss = white(length, seed + 100)
  const silent = (noise: Float32Array, db: number): Scene =>
    withNoise({ samples: new Float32Array(length), turns: [] }, noise, db)
  return {
    quiet: plain,
    "10 dB louder": await conversation(language, seed, -14),
    "15 dB softer": await conversation(language, seed, -39),
    "white noise 20 dB": withNoise(plain, hiss, 20),
    "white noise 10 dB": withNoise(plain, hiss, 10),
    "white noise 5 dB": withNoise(plain, hiss, 5),
    "babble 20 dB": withNoise(plain, crowd, 20),
    "babble 10 dB": withNoise(plain, crowd, 10),
    "babble 5 dB": withNoise(plain, crowd, 5),
    coughs: withCoughs(plain),
    "another voice, 15 dB lower": await withSpeaker(plain, language, 15),
    "nobody, silence": { samples: silent(hiss, 45).samples, turns: [] },
    "nobody, noise": silent(hiss, 15),
    "nobody, babble": silent(crowd, 15),
  }
}

const head =
  ["", "turns", "whole", "cut", "missed", "clipped", "merged", "false", "/minute", "end ms", "stop ms"]
    .map((title, index) => (index === 0 ? title.padEnd(30) : title.padStart(8)))
    .join("") + "withdrawn".padStart(10)

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN

const row = (
  title: string,
  { clipped, cut, delays, false: wrong, interruptions, minutes, missed, turns, whole, withdrawn }: Score,
) =>
  [
    title.padEnd(30),
    ...[turns, whole, cut, missed, clipped, turns - whole - cut - missed - clipped, wrong].map((value) =>
      String(value).padStart(8),
    ),
    (wrong / minutes).toFixed(1).padStart(8),
    ...[delays, interruptions].map((values) => (values.length === 0 ? "" : median(values).toFixed(0)).padStart(8)),
    String(withdrawn).padStart(10),
  ].join("")

const SEEDS = [1, 2, 3]

export const detection = async (seeds = SEEDS): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const byKind: Record<"fitted" | "others", Map<string, Array<Score>>> = { fitted: new Map(), others: new Map() }
  const byLanguage = new Map<string, Array<Score>>()
  for (const language of ["en", "ar", "de", "zh"] as const) {
    for (const seed of seeds) {
      for (const [name, scene] of Object.entries(await scenesOf(language, seed))) {
        const found = scoreOf(scene)
        const kind = byKind[language === "en" || language === "ar" ? "fitted" : "others"]
        kind.set(name, [...(kind.get(name) ?? []), found])
        byLanguage.set(language, [...(byLanguage.get(language) ?? []), found])
      }
    }
  }
  for (const [title, kind] of [
    ["chosen on en, ar", byKind.fitted],
    ["shown on de, zh", byKind.others],
  ] as const) {
    lines.push(
      "",
      title,
      head,
      ...Array.from(kind, ([name, scores]) => row(name, sum(scores))),
      row("all", sum(Array.from(kind.values()).flat())),
    )
  }
  lines.push("", "by language", head, ...Array.from(byLanguage, ([name, scores]) => row(name, sum(scores))))
  return lines
}
