import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { functionBook, spokenLanguages } from "../../text/FunctionBook.ts"
import type { SpokenLanguage } from "../../text/FunctionWords.ts"
import { tokensOf } from "../../text/PhraseBook.ts"
import { smallTalkBook } from "./SmallTalk.ts"

/*
 * Chooses the language in which a chatbot says something by itself. Messages are short, so their script decides first,
 * and then their function words and phrases of small talk. What remains open is decided by other texts.
 */

/** Languages that are recognized by their script, or by letters that no other language of their script has. */
const scripts: ReadonlyArray<readonly [RegExp, SpokenLanguage]> = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "ja"],
  [/\p{Script=Hangul}/u, "ko"],
  [/\p{Script=Han}/u, "zh"],
  [/\p{Script=Thai}/u, "th"],
  [/\p{Script=Hebrew}/u, "he"],
  [/\p{Script=Greek}/u, "el"],
  [/\p{Script=Devanagari}/u, "hi"],
]

/** The languages of a script that has several. */
const groups: ReadonlyArray<readonly [RegExp, ReadonlyArray<SpokenLanguage>]> = [
  [/\p{Script=Cyrillic}/u, ["ru", "uk"]],
  [/\p{Script=Arabic}/u, ["ar", "fa"]],
]

/** Letters that tell a language from others of its script, as much as a function word does. */
const letters: ReadonlyArray<readonly [RegExp, ReadonlyArray<SpokenLanguage>]> = [
  [/[іїєґ]/u, ["uk"]],
  [/[ыэъё]/u, ["ru"]],
  [/[پچژگکی]/u, ["fa"]],
  [/[يىةك]/u, ["ar"]],
  [/[ß]/u, ["de"]],
  [/[ñ¿¡]/u, ["es"]],
  [/[ãõ]/u, ["pt"]],
  [/[œ]/u, ["fr"]],
  [/[łąęśźżćń]/u, ["pl"]],
  [/[ěřů]/u, ["cs"]],
  [/[čšž]/u, ["cs"]],
  [/[șțăşţ]/u, ["ro"]],
  [/[ğış]/u, ["tr"]],
  [/[őű]/u, ["hu"]],
  [/[æø]/u, ["da", "no"]],
  [/[äö]/u, ["de", "sv", "fi", "hu"]],
  [/[ü]/u, ["de", "tr", "hu"]],
  [/[å]/u, ["sv", "da", "no"]],
  [/[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/u, ["vi"]],
]

type Meanings = ReadonlyArray<{ readonly language: SpokenLanguage }>

/** How much more than a function word a phrase of small talk says about the language. */
const TALK_WEIGHT = 1.5

/** How much of a text is looked at, and how much of all other texts together, in UTF-16 code units. */
const SAMPLE_LENGTH = 1_000
const OTHERS_MAX_LENGTH = 3_000

/**
 * The language of a message, and otherwise that of the first of the other texts that shows one. English where none
 * does.
 */
export const languageOfReply = (message: BoundedText, others: Iterable<BoundedText> = []): SpokenLanguage => {
  let candidates = languagesOf(message)
  if (candidates.length === 1) return candidates[0] ?? "en"
  let left = OTHERS_MAX_LENGTH
  for (const other of others) {
    const found = languagesOf(other)
    left -= Math.min(SAMPLE_LENGTH, other.length + 1)
    const shared = found.filter((language) => candidates.length === 0 || candidates.includes(language))
    if (shared.length === 1) return shared[0] ?? "en"
    if (shared.length > 0) candidates = shared
    if (left <= 0) break
  }
  return candidates.includes("en") ? "en" : (candidates[0] ?? "en")
}

/** The languages that a text may be in, none when nothing shows it. */
const languagesOf = (text: BoundedText): ReadonlyArray<SpokenLanguage> => {
  const sample = bounded(text.slice(0, SAMPLE_LENGTH).toLowerCase())
  const script = scripts.find(([pattern]) => pattern.test(sample))
  if (script !== undefined) return [script[1]]
  const group = groups.find(([pattern]) => pattern.test(sample))?.[1]
  const votes = new Map<SpokenLanguage, number>()
  const vote = (voted: Iterable<SpokenLanguage>, weight: number) => {
    for (const language of voted) votes.set(language, (votes.get(language) ?? 0) + weight)
  }
  for (const [pattern, voted] of letters) if (pattern.test(sample)) vote(voted, 1.5 / voted.length)
  const tokens = tokensOf(sample)
  for (let at = 0; at < tokens.length;) {
    const words = functionBook.at(tokens, at)
    const talk = smallTalkBook.at(tokens, at, ({ kind }) => kind !== "courtesy")
    const courtesy = smallTalkBook.at(tokens, at, ({ kind }) => kind === "courtesy")
    const length = Math.max(0, ...[words, talk, courtesy].map((phrase) => phrase?.length ?? 0))
    const languagesIn = (...phrases: ReadonlyArray<{ length: number; meanings: Meanings } | undefined>) =>
      new Set(
        phrases.flatMap((phrase) => (phrase?.length === length ? phrase.meanings.map(({ language }) => language) : [])),
      )
    // What people greet and thank with says more than a word such as `the`. So does a long phrase, and one that few
    // languages have.
    const [ofWords, ofTalk] = [languagesIn(words, courtesy), languagesIn(talk)]
    vote(ofWords, length / Math.sqrt(ofWords.size))
    vote(ofTalk, (TALK_WEIGHT * length) / Math.sqrt(ofTalk.size))
    at += Math.max(1, length)
  }
  if (group !== undefined) {
    const [first] = group
    const voted = group.toSorted((a, b) => (votes.get(b) ?? 0) - (votes.get(a) ?? 0))
    return [voted[0] ?? first ?? "en"]
  }
  const most = Math.max(0, ...votes.values())
  return most === 0 ? [] : spokenLanguages.filter((language) => (votes.get(language) ?? 0) > most - 0.01)
}
