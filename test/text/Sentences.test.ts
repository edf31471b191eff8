import { describe, expect, test } from "bun:test"
import { SENTENCE_MAX_LENGTH, sentencesOf } from "../../src/text/Sentences.ts"

const trimmed = (text: string) => sentencesOf(text).map((sentence) => sentence.trim())

describe("sentences", () => {
  test("contain the whole text, with its white space", () => {
    const text = "  One.  Two!\n\nThree im 18. Jahrhundert. "
    expect(sentencesOf(text).join("")).toBe(text)
    expect(sentencesOf("")).toEqual([])
  })

  test.each([
    "Die Stadt wurde im 18. Jahrhundert gegründet.",
    "Am 3. Oktober 1990 wurde gefeiert.",
    "Geöffnet vom 1. Mai bis 31. Oktober.",
    "Das Haus stammt aus dem 17. und 18. Jahrhundert.",
    "Die Kirche vom Ende des 16./17. Jahrhunderts blieb stehen.",
    "Er feierte seinen 70. Geburtstag.",
    "Der II. Weltkrieg begann.",
    "Am 3.\nOktober wurde gefeiert.",
    "Den 5. Maj er en fridag.",
    "Slaget stod i det 19. Århundrede.",
    "Praha se v 19. století rozrostla.",
    "W XIX. wieku miasto urosło.",
    "A 19. században a város nagy volt.",
    "Kaupunki kasvoi 19. vuosisadalla.",
    "Mesto je v 19. stoletju zraslo.",
  ])("do not end at an ordinal: %s", (sentence) =>
    expect(trimmed(`${sentence} Danach nicht.`)).toEqual([sentence, "Danach nicht."]),
  )

  test.each(["Es waren 12.", "Der Vertrag endet 2024.", "I am 18.", "See chapter 3."])(
    "end at another number: %s",
    (sentence) => expect(trimmed(`${sentence} Die anderen kamen.`)).toEqual([sentence, "Die anderen kamen."]),
  )

  test("do not end at an abbreviation or at the number of a step, but at the end of a line", () => {
    expect(trimmed("Ask Dr. Smith. He knows.")).toEqual(["Ask Dr. Smith.", "He knows."])
    expect(trimmed("1. Open it. 2. Close it.\n**3.** Go.\na) Wait.")).toEqual([
      "1. Open it.",
      "2. Close it.",
      "**3.** Go.",
      "a) Wait.",
    ])
    expect(trimmed("made by Smith Ltd.\nsold by Jones")).toEqual(["made by Smith Ltd.", "sold by Jones"])
  })

  test("grow by what continues them up to a limit only", () => {
    const longest = Math.max(...sentencesOf("1. ".repeat(5000)).map((sentence) => sentence.length))
    expect(longest).toBeLessThan(SENTENCE_MAX_LENGTH + 10)
  })
})
