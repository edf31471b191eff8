import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { problem, read } from "../lib/Client.ts"
import { sharedServer, startServer } from "../lib/TestServer.ts"

const { client } = await sharedServer()

const path = (id: string) => `/api/external/chatbot/${id}/synonyms/suggestions`
const Suggestions = Schema.Struct({
  suggestions: Schema.Array(
    Schema.Struct({ word: Schema.String, questions: Schema.Int, latest_question: Schema.String }),
  ),
})
const suggestionsFor = async (id: string) => read(Suggestions, await client.get(path(id))).suggestions

const ferries = "# Ferries\n\nDogs travel free of charge on the upper deck."

const ask = async (id: string, question: string, sessionToken: string = crypto.randomUUID(), by = client) =>
  by.post(`/api/external/chatbot/${id}/chat`, {
    json: { messages: [{ role: "user", content: question }], sessionToken },
  })

describe("suggestions of synonyms", () => {
  test("are the words of questions without an answer that no document has, those of most questions first", async () => {
    const { id } = await client.newChatbot()
    await client.learn(id, { "ferries.md": ferries })
    await ask(id, "When do dogs travel on the upper deck?")
    const session = crypto.randomUUID()
    await ask(id, "Is there a kennel?", session)
    await ask(id, "What about a canine?", session)
    await ask(id, "And three canines?")
    const found = await suggestionsFor(id)
    expect(found).toEqual([
      { word: "canines", questions: 2, latest_question: "And three canines?" },
      { word: "kennel", questions: 1, latest_question: "Is there a kennel?" },
    ])
    const settings = { synonyms: [["canine", "dog"]] }
    expect((await client.patch(`/api/external/chatbots?id=${id}`, { json: { settings } })).status).toBe(200)
    // A search with the new synonyms, because those of the one before may be of a moment ago.
    expect(await client.found(id, "a canine")).toHaveLength(1)
    expect((await suggestionsFor(id)).map(({ word }) => word)).toEqual(["kennel"])
  })

  test("have no typing errors, which searches correct, and no words that all texts share", async () => {
    const { id } = await client.newChatbot()
    await client.learn(id, { "ferries.md": ferries })
    await ask(id, "I need help: is there a kennel for traevl?")
    await ask(id, "¿Dónde está el acuario?")
    expect((await suggestionsFor(id)).map(({ word }) => word)).toEqual(["acuario", "kennel"])
  })

  test("know the words of a knowledge base that is too large for an index in memory", async () => {
    const { client: small } = await startServer({ INDEX_MEMORY: "1KiB" })
    const { id } = await small.newChatbot()
    await small.learn(id, { "ferries.md": ferries, "rules.md": "# Rules\n\nThe captain decides about luggage." })
    for (const question of ["Is there a kennel?", "Is there a canine?"]) await ask(id, question, question, small)
    const { suggestions } = read(Suggestions, await small.get(path(id)))
    expect(suggestions.map(({ word }) => word)).toEqual(["canine", "kennel"])
  })

  test("are at most twenty", async () => {
    const { id } = await client.newChatbot()
    await client.learn(id, { "ferries.md": ferries })
    const made = Array.from(
      { length: 30 },
      (_, number) => `zyx${"abcdefghij".charAt(number % 10)}${"klm".charAt(number / 10)}q`,
    )
    await ask(id, made.slice(0, 15).join(" "))
    await ask(id, made.slice(15).join(" "))
    expect(await suggestionsFor(id)).toHaveLength(20)
  })

  test("are none without documents, and none of questions to another chatbot", async () => {
    const [empty, other] = [await client.newChatbot(), await client.newChatbot()]
    await client.learn(other.id, { "ferries.md": ferries })
    await ask(empty.id, "Is there a kennel?")
    expect(await suggestionsFor(empty.id)).toEqual([])
    expect(await suggestionsFor(other.id)).toEqual([])
    problem(await client.get(path("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b")), 404, "not_found")
  })

  test("are shown only to keys that read conversations", async () => {
    const { id } = await client.newChatbot()
    const reader = await client.limitedTo("knowledge:read", "chatbots:write")
    problem(await reader.get(path(id)), 403, "forbidden")
  })
})
