import { isPair } from "../language/words/Words.ts"
import type { GroupedTopic, Grouping } from "./Grouping.ts"

/** The most terms of a name, and the most pairs of characters of scripts without spaces. */
const TERMS_MAX = 3
const PAIRS_MAX = 6
/** The least share of the most telling term that another one needs. */
const SHARE_MIN = 0.4
const NAME_MAX_LENGTH = 120

/**
 * Makes the name of a topic of its most telling terms, in the users' own spelling: terms that follow each other become a
 * phrase, as in `refund · credit card`.
 */
export const nameOf = (grouping: Grouping, topic: GroupedTopic): string => {
  const ranked = Array.from(topic.terms, ([stem, term]) => ({
    stem,
    ...term,
    worth: term.count * grouping.weightOf(stem),
  })).toSorted((left, right) => right.worth - left.worth)
  const [best] = ranked
  if (best === undefined) return "…"
  const picked = new Map(
    ranked
      .slice(0, isPair(best.stem) ? PAIRS_MAX : TERMS_MAX)
      .filter(({ worth }) => worth >= SHARE_MIN * best.worth)
      .map((term) => [term.stem, term]),
  )
  const followers = new Set(Array.from(picked.values(), ({ next, stem }) => (next === stem ? "" : next)))
  const phrases: Array<string> = []
  const used = new Set<string>()
  // Those that follow no other begin a phrase; the second round takes what stands in a circle.
  for (const starts of [(stem: string) => !followers.has(stem), () => true]) {
    for (const { stem } of picked.values()) {
      if (used.has(stem) || !starts(stem)) continue
      let phrase = ""
      for (let at = picked.get(stem); at !== undefined && !used.has(at.stem); at = picked.get(at.next)) {
        used.add(at.stem)
        phrase = joined(phrase, at.spelling)
      }
      phrases.push(phrase)
    }
  }
  return phrases.join(" · ").slice(0, NAME_MAX_LENGTH).toWellFormed()
}

/** Adds a term to a phrase. Pairs of characters overlap. */
const joined = (phrase: string, spelling: string): string => {
  if (phrase === "") return spelling
  const [first = "", ...rest] = spelling
  return isPair(spelling) && phrase.endsWith(first) ? phrase + rest.join("") : `${phrase} ${spelling}`
}
