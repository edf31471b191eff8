import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { PassageJson } from "../../../src/domain/knowledge/Passage.ts"
import { answerTo, materialOf } from "../../../src/models/local/Answer.ts"
import { nearby } from "../../../src/models/local/Nearby.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const passage = (title: string, chunk: number, content: string, section?: string): PassageJson => ({
  title,
  chunk,
  content,
  document_id: title,
  similarity: 0.5,
  ...(section === undefined ? {} : { section }),
})

const answer = (question: string, ...contents: ReadonlyArray<string>) =>
  answerTo(bounded(question), materialOf(contents.map((content, index) => passage("Title", index + 1, content))))?.text

describe("the words of a question are found", () => {
  test.each([
    ["in another form", "When are parcels sent?", "It rains. A parcel was sent on Monday. Birds sing.", "A parcel was"],
    [
      "with a typing error",
      "What does the enterpise license cost?",
      "The enterprise license costs 5 EUR.",
      "The enterp",
    ],
    ["without their accents", "¿Cuándo es la reunion anual?", "La reunión anual es en mayo.", "La reunión"],
    ["in a compound", "Wie lang ist die Frist?", "Es regnet. Die Rückgabefrist beträgt 14 Tage.", "Die Rückg"],
    ["without the article that is written with them", "متى تدفع المبالغ؟", "نحن هنا. تدفع مبالغ كبيرة غدا.", "تدفع"],
    ["in a script without spaces", "退款多久支付？", "本店很高兴。退款将在十四天内支付。", "退款将在"],
  ])("%s", (_, question, content, start) => {
    expect(answer(question, content)).toStartWith(start)
  })
})

test("one sentence is quoted where one answers, with the title of its document", () => {
  const content = "Blue whales are large. Blue whales eat krill. Blue whales sing songs."
  expect(answer("What do blue whales eat?", content)).toBe("Blue whales eat krill. (Title)")
})

test("of two sentences with the words of a question, the one with a number answers how many", () => {
  const content = "The tower has stairs of steep granite. The stairs of the tower have 187 steps."
  expect(answer("How many stairs does the tower have?", content)).toStartWith("The stairs of the tower have 187")
})

describe("what is no sentence is never quoted:", () => {
  test.each([
    ["marks of citations", "Ducks eat grass.[29] Ducks eat fish.[30][31]", "Ducks eat fish. (Title)"],
    [
      "links",
      "[Ducks eat fish](/a)\n\n- [Ducks](/d)\n- [Fish eat ducks](/f)\n\nDucks eat fish too.",
      "Ducks eat fish too.",
    ],
    ["headings", "# Ducks eat fish\n\nThey eat grass, too. Cats do not.", "Ducks eat fish: They eat grass"],
    ["fenced code", "```\nducks eat fish\n```\n\nDucks eat their fish.", "Ducks eat their fish. (Title)"],
    ["notes below a page", "^ Ducks eat fish, 1999.\n\nDucks mostly eat fish.", "Ducks mostly eat fish. (Title)"],
    ["marks of Markdown", "**Ducks** eat `fish`.", "Ducks eat fish. (Title)"],
    ["pictures", "![Ducks eat fish](a.png) Ducks eat much fish.", "Ducks eat much fish. (Title)"],
  ])("%s", (_, content, expected) => {
    expect(answer("Which fish do ducks eat?", content)).toStartWith(expected)
  })
})

test("a sentence ends neither after an abbreviation nor after an initial", () => {
  const content = "Dr. John F. Kennedy e.g. met Mr. Brown in Berlin. It rained."
  expect(answer("Where did Kennedy meet Brown?", content)).toBe(
    "Dr. John F. Kennedy e.g. met Mr. Brown in Berlin. (Title)",
  )
})

describe("a pronoun at the beginning is explained", () => {
  test("by the sentence before it", () => {
    expect(answer("When was the mill painted white?", "The mill is old. It was painted white in 1920.")).toBe(
      "The mill is old. It was painted white in 1920. (Title)",
    )
  })

  test.each([
    ["the heading", "# Adult ducks\n\nThey eat fish and grass.", "Adult ducks: They eat fish and grass. (Title)"],
    ["the title", "They eat fish and grass.", "Title: They eat fish and grass. (Title)"],
    ["a heading that is a question", "# What is eaten?\n\nThey eat fish and grass.", "What is eaten? They eat fish"],
  ])("by %s where none does", (_, content, expected) => {
    expect(answer("What do ducks eat, fish and grass?", content)).toStartWith(expected)
  })
})

test("things that are named one after the other are quoted with the heading that tells what they are", () => {
  const content = "## Not yet\n\nS3; metrics and traces; webhooks; a widget for the browser."
  expect(answer("Is S3 supported?", content)).toBe(`Not yet: ${content.slice(12)} (Title)`)
})

test("a definition is quoted, perhaps with what is said of the same thing", () => {
  const content =
    "The approval of a time sheet takes a day. Approval – the confirmation that a time sheet is correct. Approval is late."
  expect(answer("What is an approval?", content)).toContain("Approval – the confirmation")
})

test("a heading that asks the question is answered with what stands below it", () => {
  const content =
    "# May I bring a dog?\n\nYes. Dogs are welcome. They cost 3 EUR.\n\n# Cats\n\nCats may not be brought."
  expect(answer("Can I bring my dog?", content)).toBe("Yes. Dogs are welcome. They cost 3 EUR. (Title)")
})

describe("a list is quoted as a whole", () => {
  const list = "Bring these things:\n\n- a towel\n- a coin\n  - of one pound\n\n- a cap for long hair"

  test("under the line that announces it", () => {
    expect(answer("Which things do I need to bring?", list)).toBe(
      "Bring these things:\n- a towel\n- a coin: of one pound\n- a cap for long hair\n(Title)",
    )
  })

  test("under its heading where none does, and steps in their order", () => {
    const steps = "# Correct an entry\n\n1. Open the page Week.\n2. Click the entry.\n3. Change the end."
    expect(answer("How do I correct an entry?", steps)).toBe(
      "Correct an entry:\n1. Open the page Week.\n2. Click the entry.\n3. Change the end.\n(Title)",
    )
  })

  test("but not where one item is asked for", () => {
    const found = answer("When is the cap for long hair needed?", list)
    expect(found).toContain("cap for long hair")
    expect(found).not.toContain("towel")
  })
})

test("a sentence is not quoted together with one of another document", () => {
  const passages = [
    passage("A", 1, "The Basic plan has 5 GB of storage. It rains."),
    passage("B", 1, "The Team plan has 200 GB of storage. It snows."),
  ]
  expect(answerTo(bounded("How much storage has the Team plan?"), materialOf(passages))?.text).toBe(
    "The Team plan has 200 GB of storage. (B)",
  )
})

describe("an answer agrees with the question about what is denied", () => {
  const content =
    "The Old Town store is closed on Mondays. The Harbour store is open every day from Monday on. The Elm room has no window. The Birch room has a window."

  test.each([
    ["Which store is open on Mondays?", "The Harbour store is open every day from Monday on. (Title)"],
    ["Which store is closed on Mondays?", "The Old Town store is closed on Mondays. (Title)"],
    ["Is the Old Town store open on Mondays?", "The Old Town store is closed on Mondays. (Title)"],
    ["Which room has no window?", "The Elm room has no window. (Title)"],
    ["Which room has a window?", "The Birch room has a window. (Title)"],
    ["Which rooms have more than 10 windows?", undefined],
  ])("%s", (question, expected) => {
    expect(answer(question, content)).toBe(expected)
  })
})

describe("nothing is answered", () => {
  const content = "Refunds are paid within 14 days to students. The office in Malmö is open on Monday. We sell tea."

  test.each([
    ["that names something else", "Which prices has the canteen of Hamburg?"],
    ["that lacks what is counted", "How many parking spaces are there?"],
    ["about something else", "Who invented the steam engine?"],
    ["with none of its words", "Zebra?"],
    ["of no words", "🙂"],
    ["of nothing but interrogatives", "What is it?"],
  ])("to a question %s", (_, question) => {
    expect(answer(question, content)).toBeUndefined()
  })

  test.each([
    ["no passages", []],
    ["only code", ["```sh\nrefunds pay --within 14\n```"]],
    ["only links", ["[Refunds](/r) [within](/w) [days](/d)"]],
    ["only headings", ["# Refunds within days"]],
    ["nothing", [""]],
  ])("from %s", (_, contents) => {
    expect(answer("Refunds within how many days?", ...contents)).toBeUndefined()
  })
})

describe("whether sentences answer a question is judged", () => {
  test("by the words that are no names, which German nouns are not", () => {
    const content = "Für jedes Fahrrad ist eine Kaution von 50 Euro zu zahlen. Der Verleih liegt am Bahnhof."
    expect(answer("Wie hoch ist die Kaution für ein Fahrrad?", content)).toStartWith("Für jedes Fahrrad")
    const names = "Margaret Calder kept the light of Cape Orrin from 1891 to 1902."
    expect(answer("Which medals did Margaret Calder of Cape Orrin win?", names)).toBeUndefined()
  })

  /** The answer from a passage that is hardly similar to the question. */
  const weakly = (question: string, content: string) =>
    answerTo(bounded(question), materialOf([{ ...passage("Title", 1, content), similarity: 0.3 }]))?.text

  test("by names where a question has nothing else", () => {
    expect(weakly("Who was Ilse Brandt?", "It rains. Ilse Brandt founded the museum in 1987.")).toStartWith(
      "Ilse Brandt",
    )
  })

  test("by the words that both share where the question is in another language than the documents", () => {
    const content =
      "The server listens on port 3000 of the local machine, unless the settings say otherwise. It stops when it is told to."
    expect(weakly("Auf welchem Port läuft der Server?", content)).toStartWith("The server listens on port 3000")
  })
})

test("places that tell of what a question asks are named by title and heading", () => {
  const passages = [passage("Handbook", 3, "Refunds are paid within 14 days.\n\n## Tea\n\nWe sell tea.", "Sales")]
  expect(nearby(bounded("Are refunds paid to Martians?"), passages)).toEqual(["“Sales” (Handbook)"])
  expect(nearby(bounded("Zebra?"), passages)).toEqual([])
})

test("at most three sentences of any text are quoted, each once and as it is written", () => {
  const words = fc.constantFrom(..."whale|krill.|sings|\n\n|# |- |`x`|```\n|?|。|海|  |1. |Yes. |: ".split("|"))
  const content = fc.oneof(
    fc.array(words, { maxLength: 40 }).map((list) => list.join(" ")),
    fc.string({ unit: "binary" }),
  )
  fc.assert(
    fc.property(content, content, fc.string({ unit: "binary" }), (one, two, question) => {
      const found = answerTo(bounded(`whale ${question}`), materialOf([passage("A", 1, one), passage("B", 1, two)]))
      const quotes = found?.quotes.map(({ text }) => text) ?? []
      expect(new Set(quotes).size).toBe(quotes.length)
      const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "")
      for (const quote of quotes) expect(letters(one + two)).toContain(letters(quote))
    }),
    { numRuns: 200 },
  )
})
