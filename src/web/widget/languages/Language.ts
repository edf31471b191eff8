import type { WidgetConfig } from "../../../domain/widget/Widget.ts"
import { widget as en } from "../../../language/languages/en.ts"
import type { WidgetTexts } from "../../../language/WidgetTexts.ts"
import { relativeTime } from "../../shared/Ago.ts"

/**
 * Loaders of all languages but English, which is always there. The bundler keeps what a loader takes of a file, and
 * leaves out what the server says and recognizes.
 */
const loaders: Readonly<Record<string, () => Promise<WidgetTexts>>> = {
  de: () => import("../../../language/languages/de.ts").then(({ widget }) => widget),
  fr: () => import("../../../language/languages/fr.ts").then(({ widget }) => widget),
  es: () => import("../../../language/languages/es.ts").then(({ widget }) => widget),
  pt: () => import("../../../language/languages/pt.ts").then(({ widget }) => widget),
  it: () => import("../../../language/languages/it.ts").then(({ widget }) => widget),
  nl: () => import("../../../language/languages/nl.ts").then(({ widget }) => widget),
  pl: () => import("../../../language/languages/pl.ts").then(({ widget }) => widget),
  ru: () => import("../../../language/languages/ru.ts").then(({ widget }) => widget),
  tr: () => import("../../../language/languages/tr.ts").then(({ widget }) => widget),
  ar: () => import("../../../language/languages/ar.ts").then(({ widget }) => widget),
  hi: () => import("../../../language/languages/hi.ts").then(({ widget }) => widget),
  zh: () => import("../../../language/languages/zh.ts").then(({ widget }) => widget),
  ja: () => import("../../../language/languages/ja.ts").then(({ widget }) => widget),
  ko: () => import("../../../language/languages/ko.ts").then(({ widget }) => widget),
}

export const languages: ReadonlyArray<string> = ["en", ...Object.keys(loaders)]

const baseOf = (tag: string): string => tag.toLowerCase().split(/[-_]/u)[0] ?? ""

/** Returns the first of the wanted language tags that the widget speaks, and English where it speaks none of them. */
export const chooseTag = (wanted: ReadonlyArray<string>): string =>
  wanted.find((tag) => languages.includes(baseOf(tag)) && isTag(tag)) ?? "en"

const isTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** A language of the widget, with what the browser knows about it. */
export type Language = ReturnType<typeof languageOf>

/** @param tag the language tag, with the visitor's region where it is of the same language */
export const languageOf = (tag: string, texts: WidgetTexts) => {
  const numbers = new Intl.NumberFormat(tag)
  const times = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" })
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: "auto" })
  return {
    tag,
    direction: baseOf(tag) === "ar" ? "rtl" : "ltr",
    texts,
    /** Returns a text with a number in it, which is written as the language does. */
    count: (text: string, count: number) => fill(text, { n: numbers.format(count) }),
    number: (value: number) => numbers.format(value),
    /** Returns how long ago a time is, such as `2 hours ago`. */
    ago: (time: string) => relativeTime(relative, Date.parse(time) - Date.now()),
    time: (time: string) => times.format(new Date(time)),
  }
}

/** Loads a language; English where it cannot be loaded. */
export const loadLanguage = async (tag: string): Promise<Language> => {
  const texts = await loaders[baseOf(tag)]?.().catch(() => undefined)
  return texts === undefined ? languageOf(baseOf(tag) === "en" ? tag : "en", en) : languageOf(tag, texts)
}

/**
 * Returns the configuration with the operator's own texts in a language. A greeting that is the one of every new chatbot
 * is said in the language as well.
 */
export const localized = (config: WidgetConfig, { tag, texts }: Language): WidgetConfig => ({
  ...config,
  ...(config.greeting === en.greeting && { greeting: texts.greeting }),
  ...(config.translations[tag] ?? config.translations[baseOf(tag)]),
  launcher: config.launcher,
})

export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole)
