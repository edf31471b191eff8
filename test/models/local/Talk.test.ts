import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Agent } from "../../../src/agent/Agent.ts"
import type { ChatTurn } from "../../../src/domain/chat/Chat.ts"
import type { Passage } from "../../../src/domain/knowledge/Passage.ts"
import type { SpokenLanguage } from "../../../src/language/Locales.ts"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { extractiveModel } from "../../../src/domain/chatbot/Chatbot.ts"
import type { DocumentTitles } from "../../../src/models/ToolDeclaration.ts"
import { replyTo } from "../../../src/models/local/Reply.ts"
import { bounded } from "../../../src/text/BoundedText.ts"
import { Models } from "../../../src/models/Models.ts"
import { agentLayer } from "../../lib/Answering.ts"
import { defaults, modelsSettings } from "../../lib/Defaults.ts"

const prices: Passage = {
  documentId: "d1",
  title: "Prices",
  chunk: 1,
  page: null,
  content: "A ticket for adults costs 12 EUR. A ticket for students costs 7 EUR.",
  similarity: 0.6,
}
const umbrellas: Passage = {
  documentId: "d2",
  title: "House rules",
  chunk: 4,
  page: null,
  section: "Cloakroom > Umbrellas",
  content: "Wet umbrellas stay in the cloakroom.",
  similarity: 0.05,
}
const down = new Unavailable({ detail: "down", retry_after_seconds: 1 })

interface World {
  readonly found?: ReadonlyArray<Passage> | Unavailable | ((query: string) => ReadonlyArray<Passage>)
  readonly documents?: DocumentTitles | Unavailable
  readonly toolsEnabled?: boolean
  readonly before?: ReadonlyArray<string>
  /** That of the widget. */
  readonly language?: SpokenLanguage
}

/** The reply to a message, the queries that were searched, and whether the documents were listed. */
const ask = (message: string, { before = [], documents, found = [], language, toolsEnabled = true }: World = {}) => {
  const queries: Array<string> = []
  const history = [
    ...before.flatMap((content): ReadonlyArray<ChatTurn> => [
      { role: "user", content },
      { role: "assistant", content: "Yes." },
    ]),
    { role: "user" as const, content: message },
  ]
  return Effect.gen(function* () {
    const agent = yield* Agent
    const { output, sources, toolCalls } = yield* agent.reply({
      model: extractiveModel,
      instructions: { chatbotName: "Ada", prompt: "", personality: { tone: "", style: "" }, language },
      toolsEnabled,
      history,
      search: (query) => {
        queries.push(query)
        if (found instanceof Unavailable) return Effect.fail(found)
        return Effect.succeed(typeof found === "function" ? found(query) : found)
      },
      documents: documents instanceof Unavailable ? Effect.fail(documents) : documents && Effect.succeed(documents),
    })
    const lists = toolCalls.filter(({ toolName }) => toolName === "listDocuments").length
    return { output, sources, queries, lists }
  }).pipe(
    Effect.provide(
      agentLayer(defaults.agent).pipe(
        Layer.provide(Models.layer(modelsSettings()).pipe(Layer.provide(FetchHttpClient.layer))),
      ),
    ),
    Effect.runPromise,
  )
}

const titles = (total: number): DocumentTitles => ({
  total,
  titles: Array.from({ length: Math.min(total, 50) }, (_, index) => `Title ${index + 1}`),
})

describe("small talk", () => {
  test.each([
    ["hi", "Hello! Ask me a question"],
    ["Moin!", "Hallo! Stellen Sie mir eine Frage"],
    ["merci beaucoup", "Avec plaisir !"],
    ["Hasta luego", "¡Hasta luego!"],
    ["who are you?", "I am Ada, a chatbot."],
    ["Bist du ein Mensch?", "Ich bin Ada, ein Chatbot."],
    ["👍", "You are welcome!"],
    ["heyyy, who are you?", "Hello! I am Ada, a chatbot."],
    ["Thanks, bye!", "You are welcome! Goodbye!"],
  ])("%p is replied to in its language, without a search", async (message, start) => {
    const { lists, output, queries, sources } = await ask(message, { found: [prices], documents: titles(3) })
    expect(output).toStartWith(start)
    expect([queries, lists, sources]).toEqual([[], 0, []])
  })

  test("is replied to in the language of the conversation when it has none of its own", async () => {
    expect((await ask("👍", { before: ["Was kostet der Eintritt?"] })).output).toBe("Gern geschehen!")
  })

  test.each([
    ["👍", "Gern geschehen!"],
    ["hi", "Hallo!"],
    ["thank you so much for the help", "You are welcome!"],
    ["merci beaucoup", "Avec plaisir !"],
  ])("%p is replied to in the language of the widget when nothing shows another", async (message, start) => {
    expect((await ask(message, { language: "de" })).output).toStartWith(start)
  })

  test("before a question is not searched for", async () => {
    const { output, queries } = await ask("Hi Ada, how much is a ticket for adults? Thanks!", { found: [prices] })
    expect(queries).toEqual(["how much is a ticket for adults?"])
    expect(output).toContain("12 EUR")
  })
})

describe("what the chatbot knows about", () => {
  test("is told with up to eight titles and the number of the others", async () => {
    const { lists, output, queries } = await ask("What do you know about?", { documents: titles(120) })
    expect(output.split("\n").slice(2)).toEqual([
      "I know these documents:",
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `- Title ${number}`),
      "… and 112 more",
    ])
    expect([queries, lists]).toEqual([[], 1])
  })

  test("is told without a number when all titles are named", async () => {
    const { output } = await ask("Was weißt du?", { documents: titles(2) })
    expect(output).toEndWith("Ich kenne diese Dokumente:\n- Title 1\n- Title 2")
  })

  test.each([
    ["there are no tools", { toolsEnabled: false, documents: titles(2) }],
    ["they cannot be listed", { documents: down }],
    ["they are not offered", {}],
  ])("is told without titles when %s", async (_, world) => {
    const { output } = await ask("What do you know about?", world)
    expect(output).toBe(
      "I am Ada, a chatbot. I am a program, not a person, and I answer questions with sentences from the documents that I know.",
    )
  })

  test("is answered from the documents when they name the chatbot", async () => {
    const named = { ...prices, content: "Ada is the assistant of the harbour museum." }
    expect((await ask("Who is Ada?", { found: [named] })).output).toContain("harbour museum")
    expect((await ask("Who is Ada?", { found: [] })).output).toStartWith("I am Ada, a chatbot.")
  })
})

describe("a question that is not answered", () => {
  test.each([
    ["Where is Atlantis?", [], "I found nothing about that in the documents."],
    ["Wo liegt Atlantis?", [], "Dazu habe ich in den Dokumenten nichts gefunden."],
    ["Où se trouve l'Atlantide ?", [], "Je n’ai rien trouvé à ce sujet dans les documents."],
    ["アトランティスはどこですか？", [], "文書の中に該当する内容は見つかりませんでした。"],
  ])("is told so in its language: %p", async (question, found, output) => {
    for (const toolsEnabled of [true, false]) {
      expect((await ask(question, { found, toolsEnabled, documents: titles(3) })).output).toBe(output)
    }
  })

  test("is told so in the language of the passages when its own is not known", async () => {
    const german = {
      ...umbrellas,
      title: "Haus",
      section: "Regeln",
      content: "Nasse Schirme bleiben in der Garderobe.",
    }
    expect((await ask("Qwert?", { found: [german] })).output).toBe("Dazu habe ich in den Dokumenten nichts gefunden.")
  })

  test("is followed by the places that share a rare word with it, as a question", async () => {
    const { output, sources } = await ask("Do you sell umbrellas?", { found: [umbrellas] })
    expect(output).toBe("I found nothing about that in the documents. Did you mean “Umbrellas” (House rules)?")
    expect(sources).toEqual([])
  })

  test("is followed by no place that shares only common words with it", async () => {
    const city = { ...umbrellas, content: "Many people of the city come on Mondays." }
    const { output } = await ask("How many people live in the city?", { found: [city] })
    expect(output).toBe("I found nothing about that in the documents.")
  })

  test("is told that there are no documents when there are none", async () => {
    expect((await ask("Where is Atlantis?", { documents: titles(0) })).output).toStartWith(
      "I have no readable documents yet",
    )
    expect((await ask("Wo liegt das?", { documents: titles(0) })).output).toStartWith(
      "Ich habe noch keine lesbaren Dokumente",
    )
  })

  test("is told that the documents could not be searched when they could not, in its language", async () => {
    expect((await ask("Wo liegt Atlantis?", { found: down })).output).toStartWith(
      "Ich konnte die Dokumente gerade nicht",
    )
  })

  test("without a word is answered with what to do", async () => {
    for (const question of ["🍕", "???", "…"]) {
      const { output, queries } = await ask(question, { found: [prices] })
      expect(output).toBe("Ask me a question, and I will look for the answer in the documents.")
      expect(queries).toEqual([])
    }
  })
})

describe("a follow-up", () => {
  const before = ["How much is a ticket for adults?"]

  test.each([true, false])("is searched and answered with the question before it (tools: %p)", async (toolsEnabled) => {
    const { output, queries } = await ask("and for students?", { before, found: [prices], toolsEnabled })
    expect(queries).toEqual(["How much is a ticket for students?"])
    expect(output).toContain("7 EUR")
  })

  test("is not answered with what answers the question before it", async () => {
    const { output } = await ask("and for wizards?", { before, found: [prices] })
    expect(output).toStartWith("I found nothing about that")
  })

  test("is searched once more by itself when it may be a new subject", async () => {
    const { output, queries } = await ask("umbrellas?", {
      before,
      found: (query) => (query === "umbrellas?" ? [{ ...umbrellas, similarity: 0.9 }] : []),
    })
    expect(queries).toEqual(["How much is a ticket for adults umbrellas?", "umbrellas?"])
    expect(output).toContain("cloakroom")
  })

  test.each(["Can I take my dog with me?", "Do you take credit cards?"])(
    "about something else is not answered from the subject before it: %s",
    async (message) => {
      const timetable: Passage = {
        documentId: "d3",
        title: "Timetable",
        chunk: 1,
        page: null,
        content: "From May the ferry to the islands leaves at 7:30 every day. The crossing takes fifty minutes.",
      }
      const { output, queries } = await ask(message, {
        before: ["When does the ferry leave in summer?"],
        // Near to the subject before it, and not to the message.
        found: (query) => [{ ...timetable, similarity: query === message ? 0.34 : 0.75 }],
      })
      expect(queries).toHaveLength(2)
      expect(output).toStartWith("I found nothing about that")
    },
  )
})

test("an answer is looked for in all searches of a model that failed before this one", () => {
  const found = {
    document_id: "d1",
    chunk: 1,
    title: "Prices",
    content: "A ticket for adults costs 12 EUR.",
    similarity: 0.6,
  }
  const reply = replyTo({
    name: bounded("Ada"),
    language: undefined,
    question: bounded("How much is a ticket for adults?"),
    hasFiles: false,
    isFirst: true,
    before: [],
    found: [
      { likely: [], others: [] },
      { likely: [], others: [] },
      { likely: [found], others: [] },
    ],
    documents: undefined,
    maySearch: true,
    mayRequest: false,
    isRequested: false,
    foundNothingBefore: false,
    mayList: true,
  })
  expect(reply).toMatchObject({ text: expect.stringContaining("12 EUR") })
})
