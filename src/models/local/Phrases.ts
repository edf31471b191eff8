import type { Replies } from "../../languages/Locale.ts"
import { locales, type SpokenLanguage } from "../../languages/Locales.ts"
import type { DocumentTitles } from "../ToolDeclaration.ts"

/** A phrase in a language, with a value in place of its `{}`. */
export const phrase = (language: SpokenLanguage, name: keyof Replies, value = ""): string =>
  // A function, because a replacement text may hold special patterns such as `$&`.
  locales[language].replies[name].replace("{}", () => value)

/** Several names as alternatives, such as `“A”, “B”, or “C”`. */
export const alternatives = (language: SpokenLanguage, names: ReadonlyArray<string>): string =>
  new Intl.ListFormat(language, { type: "disjunction" }).format(names)

/** The most titles that are named. */
const TITLES_MAX = 8

/** The titles of documents as a list, and the number of those that it leaves out. */
export const titleList = (language: SpokenLanguage, { titles, total }: DocumentTitles): string => {
  const named = titles.slice(0, TITLES_MAX)
  const others = total - named.length
  return [
    phrase(language, "documents"),
    ...named.map((title) => `- ${title.replaceAll(/\s+/g, " ")}`),
    ...(others > 0 ? [phrase(language, "more", String(others))] : []),
  ].join("\n")
}
