import { locale as ar } from "./languages/ar.ts"
import { locale as cs } from "./languages/cs.ts"
import { locale as da } from "./languages/da.ts"
import { locale as de } from "./languages/de.ts"
import { locale as el } from "./languages/el.ts"
import { locale as en } from "./languages/en.ts"
import { locale as es } from "./languages/es.ts"
import { locale as fa } from "./languages/fa.ts"
import { locale as fi } from "./languages/fi.ts"
import { locale as fr } from "./languages/fr.ts"
import { locale as he } from "./languages/he.ts"
import { locale as hi } from "./languages/hi.ts"
import { locale as hu } from "./languages/hu.ts"
import { locale as id } from "./languages/id.ts"
import { locale as it } from "./languages/it.ts"
import { locale as ja } from "./languages/ja.ts"
import { locale as ko } from "./languages/ko.ts"
import { locale as nl } from "./languages/nl.ts"
import { locale as no } from "./languages/no.ts"
import { locale as pl } from "./languages/pl.ts"
import { locale as pt } from "./languages/pt.ts"
import { locale as ro } from "./languages/ro.ts"
import { locale as ru } from "./languages/ru.ts"
import { locale as sv } from "./languages/sv.ts"
import { locale as th } from "./languages/th.ts"
import { locale as tr } from "./languages/tr.ts"
import { locale as uk } from "./languages/uk.ts"
import { locale as vi } from "./languages/vi.ts"
import { locale as zh } from "./languages/zh.ts"
import type { Locale } from "./Locale.ts"

/** The languages that chatbots speak by themselves, by their codes of ISO 639-1. Where a text may be in several, the first one counts. */
export const locales = {
  en,
  de,
  fr,
  es,
  pt,
  it,
  nl,
  pl,
  ru,
  uk,
  cs,
  ro,
  sv,
  da,
  no,
  fi,
  hu,
  el,
  tr,
  ar,
  he,
  fa,
  hi,
  id,
  vi,
  th,
  zh,
  ja,
  ko,
} satisfies Readonly<Record<string, Locale>>

export type SpokenLanguage = keyof typeof locales

export const isSpoken = (code: string): code is SpokenLanguage => Object.hasOwn(locales, code)

/** The language of a tag of BCP 47, as a widget's `language` is; undefined for `auto`, and where it is none of these. */
export const spokenLanguageOf = (tag: string): SpokenLanguage | undefined => {
  const code = tag.toLowerCase().split("-", 1)[0] ?? ""
  return isSpoken(code) ? code : code === "nb" || code === "nn" ? "no" : undefined
}

export const spokenLanguages: ReadonlyArray<SpokenLanguage> = Object.keys(locales).filter(isSpoken)
