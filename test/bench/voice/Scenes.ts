import { resampler } from "../../../src/web/voice/Resampler.ts"
import { samplesOf, spoken, SPOKEN_RATE } from "../../lib/Espeak.ts"
import { random } from "../../lib/Random.ts"

/*
 * What a microphone would hear, with the truth about it: turns of espeak-ng with pauses in them, in four languages, and
 * what is added to them.
 */

export const RATE = 16_000

/** The first two are those on which constants were chosen; the others only show whether these hold. */
const languages = { en: "en", ar: "ar", de: "de", zh: "cmn" } as const
export type Language = keyof typeof languages

/** Both halves of what a visitor says, with a pause between them. */
const texts: Record<Language, ReadonlyArray<readonly [string, string]>> = {
  en: [
    ["Hello,", "when do you open on Saturday?"],
    ["I ordered a coffee machine last week,", "and it has not arrived yet."],
    ["Could you tell me", "how I can send something back?"],
    ["My invoice seems wrong,", "who should I talk to about that?"],
    ["Yes,", "that would be fine."],
    ["Do you ship to Switzerland,", "and what does it cost?"],
    ["I forgot my password", "and the mail never comes."],
    ["Is there", "a shop near the main station?"],
  ],
  ar: [
    ["مرحبا،", "متى تفتحون يوم السبت؟"],
    ["طلبت آلة قهوة الأسبوع الماضي،", "ولم تصل حتى الآن."],
    ["هل يمكنك أن تخبرني", "كيف أعيد المنتج؟"],
    ["فاتورتي غير صحيحة،", "مع من أتحدث؟"],
    ["نعم،", "هذا جيد."],
    ["هل ترسلون إلى سويسرا،", "وكم يكلف ذلك؟"],
    ["نسيت كلمة المرور", "ولم تصل الرسالة أبدا."],
    ["هل يوجد", "متجر قريب من المحطة؟"],
  ],
  de: [
    ["Guten Tag,", "wann haben Sie am Samstag geöffnet?"],
    ["Ich habe letzte Woche eine Kaffeemaschine bestellt,", "und sie ist noch nicht da."],
    ["Können Sie mir sagen,", "wie ich etwas zurückschicke?"],
    ["Meine Rechnung stimmt nicht,", "mit wem kann ich darüber sprechen?"],
    ["Ja,", "das passt."],
    ["Liefern Sie in die Schweiz,", "und was kostet das?"],
    ["Ich habe mein Passwort vergessen", "und die Mail kommt nicht an."],
    ["Gibt es", "ein Geschäft in der Nähe vom Bahnhof?"],
  ],
  zh: [
    ["你好,", "星期六你们几点开门?"],
    ["我上个星期买了一台咖啡机,", "到现在还没有收到。"],
    ["请告诉我", "怎么退货?"],
    ["我的发票不对,", "应该找谁说?"],
    ["对,", "这样可以。"],
    ["你们送到瑞士吗,", "要多少钱?"],
    ["我忘了密码", "邮件也一直没有来。"],
    ["火车站附近", "有你们的商店吗?"],
  ],
}
const speakers = ["m1", "f2", "m3", "f4", "m7", "f1", "m4", "f3"]

/** Where a turn is, in samples. */
interface Turn {
  readonly start: number
  readonly end: number
}
export interface Scene {
  readonly samples: Float32Array
  readonly turns: ReadonlyArray<Turn>
}

const rms = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length))
const scaled = (samples: Float32Array, factor: number): Float32Array => samples.map((sample) => sample * factor)
const amplitude = (db: number): number => 10 ** (db / 20)

/** Speech without the silence around it, its loudness 1. */
const said = (text: string, voice: string, speed: number): Promise<Float32Array> => {
  const key = `${voice} ${speed} ${text}`
  const made = memory.get(key) ?? say(text, voice, speed)
  memory.set(key, made)
  return made
}
const memory = new Map<string, Promise<Float32Array>>()

const say = async (text: string, voice: string, speed: number): Promise<Float32Array> => {
  const samples = resampler(SPOKEN_RATE)(samplesOf(await spoken(text, { voice, speed })))
  const loud = 0.03 * samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  const isLoud = (sample: number) => Math.abs(sample) > loud
  const trimmed = samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1)
  return scaled(trimmed, 1 / rms(trimmed))
}

const add = (target: Float32Array, source: Float32Array, at: number): void => {
  for (let index = 0; index < source.length && at + index < target.length; index++) {
    target[at + index] = (target[at + index] ?? 0) + (source[index] ?? 0)
  }
}

/** Loudness of the visitor's speech, in decibels of full scale. */
const SPEECH_DB = -24

/** A visitor's turns in one language: 300 to 550 ms of pause in each, 2 to 3 s between them, and a room that is not quite silent. */
export const conversation = async (language: Language, seed: number, db = SPEECH_DB): Promise<Scene> => {
  const draw = random(seed)
  const turns: Array<Turn> = []
  const pieces: Array<{ at: number; samples: Float32Array }> = []
  let at = 2 * RATE
  for (const [index, [first, second]] of texts[language].entries()) {
    const voice = `${languages[language]}+${speakers[(index + seed) % speakers.length]}`
    const speed = 135 + Math.round(draw() * 50)
    const factor = amplitude(db + 6 * (draw() - 0.5))
    const [one, other] = [await said(first, voice, speed), await said(second, voice, speed)]
    const start = at
    pieces.push({ at, samples: scaled(one, factor) })
    at += one.length + Math.round((0.3 + 0.25 * draw()) * RATE)
    pieces.push({ at, samples: scaled(other, factor) })
    at += other.length
    turns.push({ start, end: at })
    at += Math.round((2 + draw()) * RATE)
  }
  const samples = scaled(white(at, seed), amplitude(Math.min(-62, db - 35)))
  for (const piece of pieces) add(samples, piece.samples, piece.at)
  return { samples, turns }
}

/** White noise of loudness 1. */
export const white = (length: number, seed: number): Float32Array => {
  const draw = random(seed)
  return Float32Array.from({ length }, () => (draw() + draw() + draw() + draw() - 2) * Math.sqrt(3))
}

/** Somebody who speaks without end, of loudness 1. */
const talk = async (language: Language, speaker: string, length: number, from: number): Promise<Float32Array> => {
  const sentences = texts[language].map((halves) => halves.join(" "))
  const text = [...sentences.slice(from), ...sentences.slice(0, from)].join(" ")
  const once = await said(text, `${languages[language]}+${speaker}`, 165)
  return Float32Array.from({ length }, (_, index) => once[(index + from * RATE) % once.length] ?? 0)
}

/** Many who speak at once, of loudness 1. */
export const babble = async (length: number): Promise<Float32Array> => {
  const sum = new Float32Array(length)
  const all: ReadonlyArray<Language> = ["en", "ar", "de", "zh"]
  for (let index = 0; index < 8; index++) {
    add(sum, await talk(all[index % 4] ?? "en", speakers[index] ?? "m1", length, (index * 3) % 8), 0)
  }
  return scaled(sum, 1 / rms(sum))
}

/** One cough: a burst of noise, which falls within a quarter of a second, and some voice at its end. */
const cough = (seed: number): Float32Array => {
  const noise = white(0.3 * RATE, seed)
  let low = 0
  return noise.map((sample, index) => {
    const seconds = index / RATE
    low += 0.35 * (sample - low)
    const burst = Math.min(1, seconds / 0.008) * Math.exp(-seconds / 0.07)
    const voice = seconds > 0.12 && seconds < 0.22 ? 0.15 * Math.sin(2 * Math.PI * 170 * seconds) : 0
    return 2.5 * low * burst + voice
  })
}

/** The same turns with a noise of loudness 1 that is so many decibels below them. */
export const withNoise = ({ samples, turns }: Scene, noise: Float32Array, below: number): Scene => {
  const mixed = samples.slice()
  add(mixed, scaled(noise, amplitude(SPEECH_DB - below)), 0)
  return { samples: mixed, turns }
}

/** The same turns with two coughs in each gap, louder than the speech. */
export const withCoughs = ({ samples, turns }: Scene): Scene => {
  const mixed = samples.slice()
  for (const [index, { end }] of turns.entries()) {
    for (const [second, at] of [1, 1.4].entries()) {
      add(mixed, scaled(cough(index * 2 + second), amplitude(SPEECH_DB + 6)), end + at * RATE)
    }
  }
  return { samples: mixed, turns }
}

/** The same turns with another voice behind them, always. */
export const withSpeaker = async (scene: Scene, language: Language, below: number): Promise<Scene> =>
  withNoise(scene, await talk(language, "m5", scene.samples.length, 3), below)
