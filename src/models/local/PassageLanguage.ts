import type { PassageJson } from "../../domain/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import { detectLanguage } from "../../languages/Detection.ts"
import type { Language } from "../../text/Language.ts"

const known = new WeakMap<PassageJson, Language>()

/** The language of a passage, which is detected once: it takes longer than all else that is asked about a sentence. */
export const languageOf = (passage: PassageJson): Language => {
  const language = known.get(passage) ?? detectLanguage(bounded(passage.content))
  known.set(passage, language)
  return language
}
