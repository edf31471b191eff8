import { describe, expect, test } from "bun:test"
import type { Expected, Kind } from "./Case.ts"
import { holds } from "./Matching.ts"
import { scoreOf } from "./Score.ts"

const titles = ["Prices"]
/** A row of a table, as a reply quotes it. */
const row = "Team: It costs 50 EUR. Ask for more seats."

const score = (expected: Partial<Expected>, text: string, sources = titles, kind: Kind = "sentence", language = "en") =>
  scoreOf(
    { answers: [], all: [], absent: false, ...expected, kind, language },
    { text, titles: sources, quotes: [row] },
  )

describe("an answer is found in a reply", () => {
  test.each([
    ["a number as a whole", "It costs 14.5 EUR, or 4 a day.", "4"],
    ["whatever the case, the accents and the spaces", "El precio es de 50 € al año.", "50€ AL ANO"],
    ["whatever the quotation marks and the marks of Markdown", "Set `RATE_LIMIT` to “off”.", 'RATE_LIMIT to "off"'],
    ["without the punctuation at its ends", "They met in Berlin, in May.", "in Berlin."],
    ["within a text without spaces", "黑豹队的防守只丢了308分。", "308 分"],
    ["behind an article that Arabic writes as a part of the word", "في القاهرة", "قاهرة"],
    ["before an ending that Korean writes as a part of the word", "천만에요!", "천만에"],
    ["in Turkish capitals", "İSTANBUL'da", "istanbul"],
  ])("%s", (_, text, answer) => expect(holds(text, answer)).toBe(true))

  test.each([
    ["in a longer number", "It costs 14 EUR.", "4"],
    ["in a decimal number", "It costs 4.5 EUR, or 1,400 a year.", "4"],
    ["at the end of a decimal number", "It costs 4.5 EUR.", "5"],
    ["in a longer word", "Where does it start?", "art"],
    ["when it is empty", "Where does it start?", "…"],
  ])("but not %s", (_, text, answer) => expect(holds(text, answer)).toBe(false))
})

describe("a reply is judged", () => {
  test.each([
    ["right when it holds one of the answers", { answers: ["60 EUR", "50 EUR"] }, "It costs 50 EUR.", titles, "right"],
    ["wrong when it holds none", { answers: ["50 EUR"] }, "It costs 40 EUR.", titles, "wrong"],
    ["not found when it names no source, whatever it says", { answers: ["50 EUR"] }, "50 EUR?", [], "not found"],
    ["right when it holds four of five items", { all: ["a", "b", "c", "d", "e"] }, "a, b, c, d", titles, "right"],
    ["wrong when it holds three of five items", { all: ["a", "b", "c", "d", "e"] }, "a, b, c", titles, "wrong"],
    ["right when it answers nothing where there is no answer", { absent: true }, "I found nothing.", [], "right"],
    ["unfounded when it answers all the same", { absent: true }, "It costs 50 EUR.", titles, "unfounded"],
    ["right with none of two permitted replies: nothing", { absent: true, answers: ["5"] }, "Nichts.", [], "right"],
    ["wrong with neither of two permitted replies", { absent: true, answers: ["5"] }, "It is 4.", titles, "wrong"],
  ] as const)("%s", (_, expected, text, sources, verdict) =>
    expect(score(expected, text, [...sources]).verdict).toBe(verdict),
  )

  test("as small talk only when it is short, quotes no document, and is in the language of the user", () => {
    const greeting = (text: string, sources: ReadonlyArray<string>) =>
      score({ answers: ["hello", "hi"] }, text, [...sources], "greeting").verdict
    expect(greeting("Hello! What would you like to know?", [])).toBe("right")
    expect(greeting("I found nothing about that.", [])).toBe("wrong")
    expect(greeting("Hello! It costs 50 EUR.", titles)).toBe("wrong")
    const defaults = (text: string, language: string) => score({}, text, [], "thanks", language).verdict
    expect(defaults("Gern geschehen!", "de")).toBe("right")
    expect(defaults("You are welcome!", "de")).toBe("wrong")
    expect(greeting(`Hello! ${"How are you? ".repeat(30)}`, [])).toBe("wrong")
  })
})

describe("noise is the share of a right reply", () => {
  test.each([
    ["that is none in a sentence that holds the answer", "The price is 50 EUR. (Prices)", 0],
    ["that is none in the place of the answer", "The price is 50 EUR. (Prices › Tickets, page 3)", 0],
    ["that stands in other sentences", "The price is 50 EUR. Another one is more.", 0.5],
    ["that stands in other items", "- Price: 50 EUR\n- Price: 60 EUR", 0.5],
    ["that is none in a row with several sentences", row, 0],
    ["that is none in the line above an item with the answer", "The prices are:\n- 50 EUR", 0],
    [
      "that stands in other rows of a table, but not in its head",
      "| Price |\n| --- |\n| 50 EUR |\n| 60 EUR |",
      10 / 29,
    ],
    ["that is none in a sentence which the answer leans on", "Rex has a price. It is 50 EUR.", 0],
  ])("%s", (_, text, noise) => expect(score({ answers: ["50 EUR"] }, text).noise).toBeCloseTo(noise))

  test("and of no other one", () => {
    expect(score({ answers: ["50 EUR"] }, "It costs 40 EUR.").noise).toBeUndefined()
    expect(score({ absent: true }, "Nothing.", []).noise).toBeUndefined()
  })
})

describe("a right answer is seen at once", () => {
  const seen = (text: string, quotes: ReadonlyArray<string>) =>
    scoreOf({ answers: ["50 EUR"], all: [], absent: false, kind: "number", language: "en" }, { text, titles, quotes })
  const [price, rain] = ["The price is 50 EUR.", "It rains."]

  test.each([
    ["where nothing else stands beside it", price, true],
    ["in the sentence that is marked", `**${price}** ${rain}`, true],
    ["but not beside the one that is marked", `${price} **${rain}**`, false],
    ["and not among others without a mark", `${price} ${rain}`, false],
  ])("%s", (_, text, expected) => expect(seen(text, [`${price} ${rain}`]).isSeen).toBe(expected))

  test("and its mark is no fault", () => {
    expect(seen(`**${price}** Ducks eat grass.`, [`${price} Ducks eat grass.`]).faults).toEqual([])
  })
})

describe("a reply can be read by itself", () => {
  test.each([
    ["a sentence", "Ducks eat grass. (Prices)", "en"],
    ["a pronoun behind its noun", "Ducks are birds. They eat grass.", "en"],
    ["a pronoun under its heading", "Adult ducks:\nThey eat grass.", "en"],
    ["a row with the names of its columns", "Plan: Team; Price: 50 EUR", "en"],
    ["an item", "- fifty EUR", "en"],
    ["an initial within a sentence", "Ducks were fed by J. F. Kennedy.", "en"],
    ["a polite address", "Sie können Karten kaufen.", "de"],
    ["what a row is about", "keys revoke <id>: What it does Revokes a key.", "en"],
    ["a German ordinal number", "Enten fraßen im 19. Jahrhundert Gras.", "de"],
    ["a pronoun that stands for nothing", "It is widely known that ducks eat grass.", "en"],
    ["a sentence in Chinese", "黑豹队的防守只丢了308分。", "zh"],
  ])("%s", (_, text, language) =>
    expect(score({ answers: ["x"] }, text, titles, "sentence", language).faults).toEqual([]),
  )

  test.each([
    ["a pronoun without its noun", "They eat grass.", "en", "pronoun"],
    ["a German pronoun without its noun", "Er frisst Gras.", "de", "pronoun"],
    ["a conjunction without what it joins", "However, ducks eat grass.", "en", "conjunction"],
    ["marks of Markdown", "Ducks **eat** grass.", "en", "markup"],
    ["a citation mark", "Ducks eat grass.[29]", "en", "citation mark"],
    ["half of a citation mark", "- 29] Ducks eat grass.[", "en", "citation mark"],
    ["headings of a wiki", "= = Food = = Ducks eat grass.", "en", "markup"],
    ["a pronoun in an item", "- They eat grass.", "en", "pronoun"],
    ["a sentence that is cut off", "Ducks eat grass and", "en", "fragment"],
    ["the end of a sentence", "and eat grass.", "en", "fragment"],
    ["an excerpt", "Ducks eat grass…", "en", "fragment"],
  ] as const)("but not %s", (_, text, language, fault) =>
    expect(score({ answers: ["x"] }, text, titles, "sentence", language).faults).toContain(fault),
  )
})

describe("a reply that quotes nothing is in the language of the question", () => {
  const isInLanguage = (text: string, language: string) =>
    score({ absent: true }, text, [], "absent", language).isInLanguage

  test.each([
    ["I found nothing about that.", "en"],
    ["Dazu habe ich in den Dokumenten nichts gefunden. Meinten Sie “The Return of the King”?", "de"],
    ["Je n'ai rien trouvé à ce sujet dans les documents.", "fr"],
    ["No he encontrado nada sobre eso en los documentos.", "es"],
    ["Я нічого не знайшов про це в документах.", "uk"],
    ["В документах об этом ничего не найдено.", "ru"],
    ["我在文档中没有找到相关内容。您是指“Steam engine”吗？", "zh"],
  ])("%s", (text, language) => {
    expect(isInLanguage(text, language)).toBe(true)
    expect(isInLanguage(text, language === "en" ? "de" : "en")).toBe(false)
  })
})
