import { describe, expect, test } from "bun:test"
import { chooseTag, fill, languages, loadLanguage } from "../../src/web/widget/languages/Language.ts"
import type { WidgetTexts } from "../../src/language/WidgetTexts.ts"

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
    const english = (await loadLanguage("en")).texts
    const language = await loadLanguage(tag)
    expect(Object.keys(language.texts).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const [key, text] of Object.entries(language.texts)) {
      expect(text.trim()).not.toBe("")
      expect([key, names(text)]).toEqual([key, names(english[key as keyof WidgetTexts])])
    }
    expect(language.direction).toBe(tag === "ar" ? "rtl" : "ltr")
    expect(language.ago(new Date(Date.now() - 7_200_000).toISOString())).not.toBe("")
  })

  test("write numbers as their language does", async () => {
    const german = await loadLanguage("de")
    expect(german.count(german.texts.messages, 12_345)).toBe("Nachrichten: 12.345")
  })

  test("leave names in braces that nothing is known of", () => {
    expect(fill("{a} {b}", { a: "x" })).toBe("x {b}")
  })
})
