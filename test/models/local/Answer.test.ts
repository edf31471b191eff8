import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { PassageJson } from "../../../src/domain/knowledge/Passage.ts"
import { answerTo } from "../../../src/models/local/Answer.ts"
import { nearby } from "../../../src/models/local/Nearby.ts"
import { read } from "../../../src/models/local/Reading.ts"
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
  answerTo(bounded(question), read(contents.map((content, index) => passage("Title", index + 1, content))))?.text

test("a sentence of a word or two is not marked, since what stands beside it says more", () => {
  const question = "Can a document be replaced without an interruption?"
  const says =
    "Yes. While the new version of a document is being read, searches go on finding the old one, and then they change over at once."
  expect(answer(question, `## ${question}\n\n${says}`)).toBe(`${says} (Title › ${question})`)
})

describe("the words of a question are found", () => {
  test.each([
    [
      "in another form",
      "When are parcels sent?",
      "It rains. A parcel was sent on Monday. Birds sing.",
      "It rains. **A parcel",
    ],
    [
      "with a typing error",
      "What does the enterpise license cost?",
      "The enterprise license costs 5 EUR.",
      "The enterp",
    ],
    ["without their accents", "¿Cuándo es la reunion anual?", "La reunión anual es en mayo.", "La reunión"],
    [
      "in a compound",
      "Wie lang ist die Frist?",
      "Es regnet. Die Rückgabefrist beträgt 14 Tage.",
      "Es regnet. **Die Rückgabefrist",
    ],
    [
      "without the article that is written with them",
      "متى تدفع المبالغ؟",
      "نحن هنا. تدفع مبالغ كبيرة غدا.",
      "نحن هنا. **تدفع",
    ],
    ["in a script without spaces", "退款多久支付？", "本店很高兴。退款将在十四天内支付。", "本店很高兴。**退款将在"],
  ])("%s", (_, question, content, start) => {
    expect(answer(question, content)).toStartWith(start)
  })
})

test("the paragraph that answers is quoted, with the best sentence marked and the title of its document", () => {
  const content = "It is cold.\n\nBlue whales are large. Blue whales eat krill. Blue whales sing songs."
  expect(answer("What do blue whales eat?", content)).toBe(
    "Blue whales are large. **Blue whales eat krill.** Blue whales sing songs. (Title)",
  )
})

test("no sentence is marked where it is all that is quoted, or where another one may as well be the answer", () => {
  expect(answer("What do blue whales eat?", "Blue whales eat krill.")).toBe("Blue whales eat krill. (Title)")
  const content = "The tower has stairs of steep granite. The stairs of the tower have 187 steps."
  expect(answer("How many stairs does the tower have?", content)).toBe(`${content} (Title)`)
})

test("of a long paragraph, what stands around the best sentence is quoted", () => {
  const rest = (count: number) =>
    Array.from({ length: count }, (_, at) => `Seal ${at} of this coast sleeps on the ice.`)
  const content = [...rest(40), "Whales eat krill.", ...rest(90).slice(40)].join(" ")
  const found = answer("What do whales eat?", content) ?? ""
  expect(found).toContain(" **Whales eat krill.** ")
  expect(found.split(" ").length).toBeLessThan(125)
})

describe("what is no sentence is never quoted:", () => {
  test.each([
    [
      "marks of citations",
      "Ducks eat grass.[29] Ducks eat fish.[30][31]",
      "Ducks eat grass. **Ducks eat fish.** (Title)",
    ],
    [
      "links",
      "[Ducks eat fish](/a)\n\n- [Ducks](/d)\n- [Fish eat ducks](/f)\n\nDucks eat fish too.",
      "Ducks eat fish too.",
    ],
    ["headings", "# Ducks eat fish\n\nThey eat grass, too.", "They eat grass, too. (Title › Ducks eat fish)"],
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
    "**Dr. John F. Kennedy e.g. met Mr. Brown in Berlin.** It rained. (Title)",
  )
})

test.each([
  ["its heading", "# Adult ducks\n\nThey eat fish and grass.", "They eat fish and grass. (Title › Adult ducks)"],
  ["no heading that is the title", "# Title\n\nThey eat fish and grass.", "They eat fish and grass. (Title)"],
])("the place of an answer is named with %s", (_, content, expected) => {
  expect(answer("What do ducks eat, fish and grass?", content)).toBe(expected)
})

test("a definition is quoted, perhaps with what is said of the same thing", () => {
  const content =
    "The approval of a time sheet takes a day. Approval – the confirmation that a time sheet is correct. Approval is late."
  expect(answer("What is an approval?", content)).toContain("Approval – the confirmation")
})

test("a heading that asks the question is answered with what stands below it", () => {
  const content =
    "# May I bring a dog?\n\nYes. Dogs are welcome.\n\nThey cost 3 EUR.\n\n# Cats\n\nCats may not be brought."
  expect(answer("Can I bring my dog?", content)).toBe(
    "Yes. Dogs are welcome. They cost 3 EUR. (Title › May I bring a dog?)",
  )
})

describe("a list is quoted as a whole", () => {
  const list = "Bring these things:\n\n- a towel\n- a coin\n  - of one pound\n\n- a cap for long hair"

  test("under the line that announces it", () => {
    expect(answer("Which things do I need to bring?", list)).toBe(
      "Bring these things:\n- a towel\n- a coin\n  - of one pound\n- a cap for long hair\n(Title)",
    )
  })

  test("under its heading where none does, and steps in their order", () => {
    const steps = "# Correct an entry\n\n1. Open the page Week.\n2. Click the entry.\n3. Change the end."
    expect(answer("How do I correct an entry?", steps)).toBe(
      "Correct an entry:\n1. Open the page Week.\n2. Click the entry.\n3. Change the end.\n(Title)",
    )
  })

  test("with the item that is asked for marked", () => {
    expect(answer("When is the cap for long hair needed?", list)).toEndWith("\n- **a cap for long hair**\n(Title)")
  })

  test("where it is long, as far as there may be words around the best item", () => {
    const items = Array.from({ length: 60 }, (_, at) => `- the thing that has the number ${at}`)
    const found = answer("Which is the thing for my umbrella?", ["Things:\n", ...items, "- umbrella"].join("\n")) ?? ""
    expect(found).toContain("\n- **umbrella**\n")
    expect(found.split(" ").length).toBeLessThan(150)
  })
})

describe("two places", () => {
  const passages = [
    passage("A", 1, "The Basic plan has 5 GB of storage. It rains."),
    passage("B", 1, "The Team plan has 200 GB of storage. It snows."),
  ]
  const found = (question: string) => answerTo(bounded(question), read(passages))

  test("that hold about as much of a question are quoted apart, each with its title, and as what comes closest", () => {
    const { isThin, text } = found("How much storage has a plan?") ?? {}
    expect(isThin).toBe(true)
    expect(text?.split("\n\n").toSorted()).toEqual([
      "**The Basic plan has 5 GB of storage.** It rains. (A)",
      "**The Team plan has 200 GB of storage.** It snows. (B)",
    ])
  })

  test("are not both quoted where one answers", () => {
    expect(found("Does it snow on the Team plan?")?.text).toBe("The Team plan has 200 GB of storage. It snows. (B)")
  })
})

test("a question that denies or compares is shown the place, and nothing is concluded from it", () => {
  const content =
    "The Old Town store is closed on Mondays. The Harbour store is open every day from Monday on. The Elm room has no window."
  expect(answer("Which store is open on Mondays?", content)).toBe(
    "The Old Town store is closed on Mondays. **The Harbour store is open every day from Monday on.** The Elm room has no window. (Title)",
  )
  expect(answer("Is the Old Town store open on Mondays?", content)).toStartWith(
    "**The Old Town store is closed on Mondays.** The Harbour",
  )
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
    expect(answer("Wie hoch ist die Kaution für ein Fahrrad?", content)).toStartWith("**Für jedes Fahrrad")
    const names = "Margaret Calder kept the light of Cape Orrin from 1891 to 1902."
    expect(answer("Which medals did Margaret Calder of Cape Orrin win?", names)).toBeUndefined()
  })

  /** The answer from a passage that is hardly similar to the question. */
  const weakly = (question: string, content: string) =>
    answerTo(bounded(question), read([{ ...passage("Title", 1, content), similarity: 0.3 }]))?.text

  test("by names where a question has nothing else", () => {
    expect(weakly("Who was Ilse Brandt?", "It rains. Ilse Brandt founded the museum in 1987.")).toBe(
      "It rains. **Ilse Brandt founded the museum in 1987.** (Title)",
    )
  })

  test("by the words that both share where the question is in another language than the documents", () => {
    const content =
      "The server listens on port 3000 of the local machine, unless the settings say otherwise. It stops when it is told to."
    expect(weakly("Auf welchem Port läuft der Server?", content)).toStartWith("**The server listens on port 3000")
  })
})

test("places that tell of what a question asks are named by title and heading", () => {
  const passages = [passage("Handbook", 3, "Refunds are paid within 14 days.\n\n## Tea\n\nWe sell tea.", "Sales")]
  expect(nearby(bounded("Are refunds paid to Martians?"), passages)).toEqual(["“Sales” (Handbook)"])
  expect(nearby(bounded("Zebra?"), passages)).toEqual([])
})

test("what is quoted of any text is quoted once, and as it is written", () => {
  const words = fc.constantFrom(..."whale|krill.|sings|\n\n|# |- |`x`|```\n|?|。|海|  |1. |Yes. |: ".split("|"))
  const content = fc.oneof(
    fc.array(words, { maxLength: 40 }).map((list) => list.join(" ")),
    fc.string({ unit: "binary" }),
  )
  fc.assert(
    fc.property(content, content, fc.string({ unit: "binary" }), (one, two, question) => {
      const found = answerTo(bounded(`whale ${question}`), read([passage("A", 1, one), passage("B", 1, two)]))
      const quotes = found?.quotes.map(({ text }) => text) ?? []
      expect(new Set(quotes).size).toBe(quotes.length)
      const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "")
      for (const quote of quotes) expect(letters(one + two)).toContain(letters(quote))
    }),
    { numRuns: 200 },
  )
})
