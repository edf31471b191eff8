import { PhraseBook } from "../words/PhraseBook.ts"
import type { FunctionWords, SmallTalkPhrases } from "../Locale.ts"
import { locales, type SpokenLanguage, spokenLanguages } from "../Locales.ts"

export type Role = keyof FunctionWords

/** The role of a function word in a language. */
interface FunctionMeaning {
  readonly language: SpokenLanguage
  readonly role: Role
}

const ROLES: ReadonlyArray<Role> = ["joins", "questions", "attributes", "pronouns", "verbs", "others"]

const TALK_KINDS: ReadonlyArray<keyof SmallTalkPhrases> = [
  "greeting",
  "thanks",
  "goodbye",
  "about",
  "documents",
  "courtesy",
  "refusal",
]

/** The function words of all languages. */
export const functionBook = new PhraseBook<FunctionMeaning>(() =>
  spokenLanguages.flatMap((language) =>
    ROLES.map((role) => [locales[language].functionWords[role], { language, role }] as const),
  ),
)

/** The phrases of small talk of all languages, with their kinds. */
export const talkBook = new PhraseBook<keyof SmallTalkPhrases>(() =>
  spokenLanguages.flatMap((language) => TALK_KINDS.map((kind) => [locales[language].smallTalk[kind], kind] as const)),
)
