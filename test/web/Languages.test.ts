import { describe, expect, test } from "bun:test"
import { chooseTag, fill, languages, loadLanguage } from "../../src/web/widget/languages/Language.ts"
import type { Forms, WidgetTexts } from "../../src/languages/WidgetTexts.ts"

const names = (text: string): ReadonlyArray<string> => (text.match(/\{\w+\}/gu) ?? []).toSorted()

describe("the languages of the widget", () => {
  test("are fifteen", () => {
    expect(languages.toSorted()).toEqual(
      ["ar", "de", "en", "es", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh"].toSorted(),
    )
  })

  test.each([
    [["de-CH", "en"], "de-CH"],
    [["fi", "fr"], "fr"],
    [["fi"], "en"],
    [["no such tag", "de_DE"], "en"],
    [[], "en"],
  ] as const)("for %p is %p", (wanted, tag) => {
    expect(chooseTag(wanted)).toBe(tag)
  })

  test.each(languages)("%s says everything, with the same names in braces as English", async (tag) => {
    const english: Readonly<Record<keyof WidgetTexts, string | Forms>> = (await loadLanguage("en")).texts
    const language = await loadLanguage(tag)
    const texts: Readonly<Record<keyof WidgetTexts, string | Forms>> = language.texts
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const [key, text] of Object.entries(texts)) {
      const model = english[key as keyof WidgetTexts]
      if (typeof text === "string") {
        expect(text.trim()).not.toBe("")
        expect(names(text)).toEqual(names(typeof model === "string" ? model : model.other))
      } else {
        for (const category of new Intl.PluralRules(tag).resolvedOptions().pluralCategories) {
          const form = language.count(text, category === "one" ? 1 : 5)
          expect(form).not.toMatch(/[{}]/u)
        }
        expect(text.other).toContain("{n}")
      }
    }
    expect(language.direction).toBe(tag === "ar" ? "rtl" : "ltr")
    expect(language.ago(new Date(Date.now() - 7_200_000).toISOString())).not.toBe("")
  })

  test("count as their grammar does", async () => {
    const polish = await loadLanguage("pl")
    expect([1, 2, 5, 22].map((count) => polish.count(polish.texts.messages, count))).toEqual([
      "1 wiadomość",
      "2 wiadomości",
      "5 wiadomości",
      "22 wiadomości",
    ])
    const russian = await loadLanguage("ru")
    expect([1, 3, 11].map((count) => russian.count(russian.texts.messages, count))).toEqual([
      "1 сообщение",
      "3 сообщения",
      "11 сообщений",
    ])
  })

  test("leave names in braces that nothing is known of", () => {
    expect(fill("{a} {b}", { a: "x" })).toBe("x {b}")
  })
})
