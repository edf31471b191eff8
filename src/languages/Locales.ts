import { locale as ar } from "./ar.ts"
import { locale as cs } from "./cs.ts"
import { locale as da } from "./da.ts"
import { locale as de } from "./de.ts"
import { locale as el } from "./el.ts"
import { locale as en } from "./en.ts"
import { locale as es } from "./es.ts"
import { locale as fa } from "./fa.ts"
import { locale as fi } from "./fi.ts"
import { locale as fr } from "./fr.ts"
import { locale as he } from "./he.ts"
import { locale as hi } from "./hi.ts"
import { locale as hu } from "./hu.ts"
import { locale as id } from "./id.ts"
import { locale as it } from "./it.ts"
import { locale as ja } from "./ja.ts"
import { locale as ko } from "./ko.ts"
import { locale as nl } from "./nl.ts"
import { locale as no } from "./no.ts"
import { locale as pl } from "./pl.ts"
import { locale as pt } from "./pt.ts"
import { locale as ro } from "./ro.ts"
import { locale as ru } from "./ru.ts"
import { locale as sv } from "./sv.ts"
import { locale as th } from "./th.ts"
import { locale as tr } from "./tr.ts"
import { locale as uk } from "./uk.ts"
import { locale as vi } from "./vi.ts"
import { locale as zh } from "./zh.ts"
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
