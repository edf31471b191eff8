import { type FunctionWords, functionWords, type SpokenLanguage } from "./FunctionWords.ts"
import { PhraseBook } from "./PhraseBook.ts"

export type Role = keyof FunctionWords

/** What a function word does in a language. */
export interface FunctionMeaning {
  readonly language: SpokenLanguage
  readonly role: Role
}

const isSpoken = (name: string): name is SpokenLanguage => name in functionWords

/** The languages that chatbots speak by themselves. */
export const spokenLanguages: ReadonlyArray<SpokenLanguage> = Object.keys(functionWords).filter(isSpoken)

const ROLES: ReadonlyArray<Role> = ["joins", "questions", "attributes", "pronouns", "verbs", "prepositions", "others"]

/** The function words of all languages. One word may do different things in different languages. */
export const functionBook = new PhraseBook<FunctionMeaning>(
  spokenLanguages.flatMap((language) =>
    ROLES.map((role) => [functionWords[language][role], { language, role }] as const),
  ),
)
