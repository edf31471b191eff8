import type { Language } from "../../language/Language.ts"
import { type Term, termOf } from "./Lexemes.ts"

/*
 * Takes apart compounds of a question that no passage holds (`Treibhauseffekt` into `Treibhaus` and `Effekt`), and finds
 * those of passages for a word of a question that none of them holds by itself (`Kündigungsfrist` for `Frist`). The index
 * is the dictionary: a word is split only into parts that passages hold.
 */

/** Letters between the parts of a compound, or at the end of the first of them where its stem lacks them, by language. */
const JOINTS: { readonly [Name in Language]?: ReadonlyArray<string> } = {
  danish: ["", "s", "e", "er"],
  dutch: ["", "s", "e", "en", "er", "ings"],
  german: ["", "s", "es", "n", "en", "er", "e", "ens", "ung", "ungs"],
  norwegian: ["", "s", "e"],
  swedish: ["", "s", "e", "a", "o", "ar"],
}

/** The least length of the stem of a part. */
const LEAST_PART = 4
/** The longest compound that is taken apart. Each further letter is another place for a joint. */
const LONGEST = 40
/** The least length of a lexeme that may be a compound. */
export const COMPOUND_LEAST = 2 * LEAST_PART
/** The most letters after the last part that a stemmer leaves, as in `hyresavtalet`. */
const ENDING_MAX = 2
/** The most compounds that stand for one word, and the most lexemes with its letters that are looked at. */
const COMPOUNDS_MAX = 20
const LOOKS_MAX = 200

export const hasCompounds = (language: Language): boolean => JOINTS[language] !== undefined

/**
 * The terms of the two parts of a compound, none where there are no such parts. Of several ways to split it, that with
 * the longest second part is taken, which says what the thing is.
 *
 * @param lexeme the stem of the compound, which ends as that of its second part does
 * @param isHeld whether a passage holds a term
 */
export const partsOf = (lexeme: string, language: Language, isHeld: (term: Term) => boolean): ReadonlyArray<Term> => {
  const joints = JOINTS[language]
  if (joints === undefined || lexeme.length > LONGEST) return []
  for (let at = LEAST_PART; at <= lexeme.length - LEAST_PART; at++) {
    const second = termOf(lexeme.slice(at), language)
    if (!isHeld(second)) continue
    for (const joint of joints) {
      if (at - joint.length < LEAST_PART || !lexeme.slice(0, at).endsWith(joint)) continue
      const first = termOf(lexeme.slice(0, at - joint.length), language)
      if (isHeld(first)) return [first, second]
    }
  }
  return []
}

/**
 * The terms of compounds that a word is the last part of, or where there are none, the first.
 *
 * @param lexeme the stem of the word
 * @param compounds the lexemes among which they are, between line feeds
 */
export const compoundsWith = (lexeme: string, language: Language, compounds: Uint8Array): ReadonlyArray<Term> => {
  if (lexeme.length < LEAST_PART) return []
  const all = Buffer.from(compounds.buffer, compounds.byteOffset, compounds.byteLength)
  const [last, first]: [Array<Term>, Array<Term>] = [[], []]
  let looks = LOOKS_MAX
  for (let at = all.indexOf(lexeme); at >= 0 && looks > 0; at = all.indexOf(lexeme, at + 1), looks--) {
    const from = all.lastIndexOf("\n", at) + 1
    const compound = all.toString("utf8", from, all.indexOf("\n", at))
    const before = all.toString("utf8", from, at).length
    const after = compound.length - lexeme.length - before
    if (before >= LEAST_PART && after <= ENDING_MAX) last.push(termOf(compound, language))
    else if (before === 0 && after >= LEAST_PART) first.push(termOf(compound, language))
  }
  return (last.length > 0 ? last : first).slice(0, COMPOUNDS_MAX)
}
