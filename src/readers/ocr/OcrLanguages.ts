import { languageShownIn } from "../../language/Detection.ts"
import type { SpokenLanguage } from "../../language/Locales.ts"
import { bounded } from "../../text/BoundedText.ts"

const tesseractNames: ReadonlyMap<string, string> = new Map(
  "en eng de deu fr fra es spa pt por it ita nl nld pl pol ru rus uk ukr cs ces ro ron sv swe da dan no nor fi fin hu hun el ell tr tur ar ara he heb fa fas hi hin id ind vi vie th tha zh chi_sim ja jpn ko kor"
    .match(/\S+ \S+/g)
    ?.map((pair) => [pair.slice(0, 2), pair.slice(3)]),
)

/** The languages of tesseract for the scripts that it tells apart, beside Latin. */
const languagesOfScript: Readonly<Record<string, ReadonlyArray<string>>> = {
  Arabic: ["ara", "fas", "urd"],
  Cyrillic: ["rus", "ukr", "bul", "srp"],
  Devanagari: ["hin", "mar", "nep"],
  Greek: ["ell"],
  Han: ["chi_sim", "chi_tra"],
  Hangul: ["kor"],
  Hebrew: ["heb"],
  Japanese: ["jpn"],
  Korean: ["kor"],
  Thai: ["tha"],
}

/** Each further language makes recognition slower and less sure. */
const LANGUAGES_MAX = 2

/** The languages of most of these texts, the most frequent one first. */
export const languagesOfTexts = (texts: ReadonlyArray<string>): ReadonlyArray<SpokenLanguage> => {
  const counts = new Map<SpokenLanguage, number>()
  for (const text of texts) {
    const language = languageShownIn(bounded(text))
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  return Array.from(counts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, LANGUAGES_MAX)
    .map(([language]) => language)
}

/** What tesseract is to read with: those of these languages that are installed, and English. */
export const namesOf = (
  languages: ReadonlyArray<SpokenLanguage>,
  installed: ReadonlySet<string>,
): ReadonlyArray<string> => {
  const names = [...languages, "en"].map((language) => tesseractNames.get(language) ?? "")
  const there = Array.from(new Set(names)).filter((name) => installed.has(name))
  return there.length > 0 ? there : Array.from(installed).slice(0, 1)
}

/** Without letters, tesseract is less sure of how a page lies than this. Measured: 1 in a picture of noise, 9 in print. */
const LEAST_CONFIDENCE = 3

export interface ScriptNames {
  readonly names?: ReadonlyArray<string> | undefined
  readonly lacks?: { readonly language: string; readonly script: string } | undefined
}

/**
 * What tesseract is to read with in a script that it has named. Where nothing for it is installed, there are no `names`,
 * and the script `lacks` a language.
 */
export const namesOfScript = (report: string, installed: ReadonlySet<string>): ScriptNames => {
  const valueOf = (label: string) => new RegExp(`^${label}: (\\S+)`, "m").exec(report)?.[1] ?? ""
  const script = valueOf("Script")
  const languages = languagesOfScript[script] ?? []
  const names = languages.filter((name) => installed.has(name)).slice(0, LANGUAGES_MAX)
  if (names.length > 0) return { names: [...names, ...(installed.has("eng") ? ["eng"] : [])] }
  const [language] = Number(valueOf("Orientation confidence")) < LEAST_CONFIDENCE ? [] : languages
  return language === undefined ? {} : { lacks: { language, script } }
}
