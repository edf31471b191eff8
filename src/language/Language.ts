export const LANGUAGES = [
  "simple",
  "arabic",
  "armenian",
  "basque",
  "catalan",
  "danish",
  "dutch",
  "english",
  "finnish",
  "french",
  "german",
  "greek",
  "hindi",
  "hungarian",
  "indonesian",
  "irish",
  "italian",
  "lithuanian",
  "nepali",
  "norwegian",
  "portuguese",
  "romanian",
  "russian",
  "serbian",
  "spanish",
  "swedish",
  "tamil",
  "turkish",
  "yiddish",
] as const

/**
 * The language of a text, as far as stemming goes: the name of a text search configuration that every Postgres from 15
 * on has. `simple` stems nothing and has no stop words; it serves languages for which Postgres has no Snowball stemmer.
 */
export type Language = (typeof LANGUAGES)[number]

/** The number of texts of a collection that are in a language. */
export interface LanguageCount {
  readonly language: Language
  readonly texts: number
}

export const isLanguage = (name: string): name is Language => LANGUAGES.some((language) => language === name)
