import type { Language } from "../../text/Language.ts"
import { type Term, termOf } from "../segments/Lexemes.ts"

/*
 * Takes apart compounds of a question that no passage holds (`Treibhauseffekt` into `Treibhaus` and `Effekt`). The index
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
