import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { isPair, spacedWords, termsPerWord } from "../../../src/language/words/Words.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

describe("the words of a text", () => {
  test.each([
    ["Don't stop.", "don t stop"],
    ["foo-bar, baz/qux", "foo bar baz qux"],
    ["Version 1.5 of v2. End", "version 1.5 of v2 end"],
    ["hy\u00adphen and ﬁne", "hyphen and fine"],
    ["readFile HTTPServer", "readfile read file httpserver http server"],
    ["pre_exec_all", "preexecall pre exec all"],
    ["__init__ Word", "init word"],
    ["«Ärger»", "ärger"],
  ])("of %p are %p", (text, words) => {
    expect(spacedWords(bounded(text))).toBe(words)
  })

  test("are overlapping pairs of characters in a script without spaces", () => {
    expect(spacedWords(bounded("黑豹队 ABC 碗"))).toBe("黑豹 豹队 abc 碗")
    expect(spacedWords(bounded("한국어를"))).toBe("한국 국어 어를")
    expect(spacedWords(bounded("2015年冠军"))).toBe("2015 年冠 冠军")
    expect(isPair("黑豹")).toBe(true)
    expect(isPair("abc")).toBe(false)
  })

  test("are those of a dictionary in Thai and its like, with triples of characters", () => {
    expect(spacedWords(bounded("แมวกินปลา"))).toBe("แมว กิน ปลา แมว มวกิ วกิน กินป นปล ปลา")
    // The vowel am is one character to dictionaries, and two in compatibility forms.
    expect(spacedWords(bounded("น้ำ"))).toBe("น้ำ")
    expect(spacedWords(bounded("ພາສາລາວ")).split(" ").slice(0, 2)).toEqual(["ພາສາ", "ລາວ"])
    expect(termsPerWord("แมว")).toBeGreaterThan(termsPerWord("黑豹"))
    expect(termsPerWord("abc")).toBe(1)
  })

  test("are the same whatever letters stand beside them", () => {
    const ascii = fc.string({
      unit: fc.constantFrom("a", "B", "1", ".", "_", "-", " ", "\n", "readFile", "HTTPServer"),
    })
    fc.assert(
      fc.property(ascii, (text) => {
        expect(`${spacedWords(bounded(text))} é`.trim()).toBe(spacedWords(bounded(`${text} é`)))
      }),
    )
  })

  test("follow Turkish rules of case in Turkish", () => {
    expect(spacedWords(bounded("IŞIK"), "turkish")).toBe("ışık")
    expect(spacedWords(bounded("IŞIK"))).toBe("işik")
  })

  test("consist of letters, digits and points between digits, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const words = spacedWords(bounded(text))
        expect(words).toBe(words.trim())
        for (const word of words === "" ? [] : words.split(" ")) {
          expect(word).toMatch(/^(?:[\p{L}\p{M}\p{N}]|(?<=\p{N})\.(?=\p{N}))+$/u)
        }
      }),
    )
  })
})
