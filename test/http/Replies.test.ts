import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ReplyReview } from "../../src/domain/chat/ReplyGround.ts"
import { type Client, problem, read } from "../lib/Client.ts"
import { calls, says } from "../lib/FakeAnthropic.ts"
import { sharedServer, startServer } from "../lib/TestServer.ts"

const { client, provider } = await sharedServer()

const Reviewed = Schema.Struct({ reply: ReplyReview })
const at = (chatbot: string, message: string) => `/api/external/chatbot/${chatbot}/replies/${message}`

/** An organization with a chatbot that knows when the ferry sails, and a second document. */
const harbour = async (settings: object = {}) => {
  const own = await client.newOrganization()
  const { id } = await own.newChatbot({ settings: { model: "local/extractive", ...settings } })
  const [ferry, prices] = await own.learn(id, {
    "ferry.md": "# The ferry\n\nThe ferry to the islands sails at noon.\n",
    "prices.md": "# Prices\n\nA ticket for the ferry costs nine euros.\n",
  })
  if (ferry === undefined || prices === undefined) throw new Error("no documents")
  return { own, id, ferry: ferry.id, prices: prices.id }
}

/** Asks a question, and returns the ids of the messages of the user and of the chatbot. */
const ask = async (own: Client, id: string, question: string, sessionToken: string = crypto.randomUUID()) => {
  await own.chat(id, question, { sessionToken })
  const [asked, reply] = (await own.messages(id, sessionToken)).slice(-2)
  if (asked === undefined || reply === undefined) throw new Error("no reply")
  return { asked: asked.id, reply: reply.id }
}

const review = async (own: Client, id: string, message: string) => read(Reviewed, await own.get(at(id, message))).reply

const sailing = "When does the ferry to the islands sail?"

describe("the review of a reply", () => {
  test("shows what was asked, found and said, and says that nothing differs where nothing does", async () => {
    const { ferry, id, own } = await harbour()
    const { reply } = await ask(own, id, `Hello! ${sailing}`)
    const { answer, before, differences, history, now, question, sources, standalone_question } = await review(
      own,
      id,
      reply,
    )
    expect([question, standalone_question, history]).toEqual([`Hello! ${sailing}`, sailing, []])
    expect(answer).toContain("sails at noon")
    expect(sources).toMatchObject([{ document_id: ferry }])
    const [search] = before?.searches ?? []
    expect(search).toMatchObject({ query: sailing, passages: [{ document_id: ferry, chunk: 1, revision: 1 }, {}] })
    expect(search?.passages.some((passage) => "content" in passage)).toBe(false)
    expect(now.searches[0]?.passages[0]?.content).toContain("sails at noon")
    expect(now.setup).toEqual(before?.setup ?? now.setup)
    expect(differences).toEqual([])
  })

  test("names the document that has changed, with what stood and what stands there", async () => {
    const { ferry, id, own } = await harbour()
    const { reply } = await ask(own, id, sailing)
    await own.replace(id, ferry, "ferry.md", "# The ferry\n\nThe ferry to the islands sails at three.\n")
    const { differences } = await review(own, id, reply)
    expect(differences).toMatchObject([
      {
        kind: "document_changed",
        document_id: ferry,
        before: expect.stringContaining("sails at noon"),
        after: expect.stringContaining("sails at three"),
      },
    ])
  })

  test("does not name a document that is stored again with the same passage", async () => {
    const { ferry, id, own } = await harbour()
    const { reply } = await ask(own, id, sailing)
    const more = "# The ferry\n\nThe ferry to the islands sails at noon.\n\n# Dogs\n\nDogs travel for free.\n"
    await own.replace(id, ferry, "ferry.md", more)
    expect((await review(own, id, reply)).differences).toEqual([])
  })

  test("names the document that is deleted, before what matters less", async () => {
    const { ferry, id, own } = await harbour()
    const { reply } = await ask(own, id, sailing)
    await own.delete(`/api/external/chatbot/${id}/knowledge-base/documents/${ferry}`)
    await own.patch(`/api/external/chatbots?id=${id}`, { json: { settings: { prompt: "Be brief." } } })
    const { differences } = await review(own, id, reply)
    expect(differences.map(({ kind }) => kind)).toEqual(["document_deleted", "prompt"])
    expect(differences[0]).toMatchObject({ document_id: ferry, before: expect.stringContaining("noon") })
  })

  test("names a document that says now what none said then", async () => {
    const { id, own } = await harbour()
    const { reply } = await ask(own, id, "May I take a bicycle on board?")
    expect(
      (await own.learn(id, { "bicycles.md": "# Bicycles\n\nYou may take a bicycle on board for free.\n" })).length,
    ).toBe(1)
    const [first] = (await review(own, id, reply)).differences
    expect(first).toMatchObject({
      kind: "passage_appeared",
      after: expect.stringContaining("bicycle on board for free"),
    })
  })

  test("names the answer that people have approved for the question since", async () => {
    const { id, own } = await harbour()
    const { reply } = await ask(own, id, sailing)
    const Made = Schema.Struct({ source: Schema.Struct({ id: Schema.String }) })
    const { source } = read(
      Made,
      await own.post(`/api/external/chatbot/${id}/sources`, { json: { kind: "questions", name: "Answers" } }),
    )
    const pair = { question: sailing, answer: "At four, since spring." }
    await own.post(`/api/external/chatbot/${id}/sources/${source.id}/questions`, { json: pair })
    const [first] = (await review(own, id, reply)).differences
    expect(first).toMatchObject({ kind: "approved_answer", after: pair.answer })
    const again = await ask(own, id, sailing)
    expect((await review(own, id, again.reply)).differences).toEqual([])
  })

  test("of a model's reply names the prompt, the model and the personality that have changed", async () => {
    const { id, own } = await harbour({ model: "claude-sonnet-5-5", prompt: "You answer like a sailor." })
    await provider.answers(calls("ferry departure"), says("The ferry sails at noon."))
    const { reply } = await ask(own, id, sailing)
    await own.patch(`/api/external/chatbots?id=${id}`, {
      json: { settings: { prompt: "Be brief.", model: "claude-opus-5" }, personality_config: { tone: "stern" } },
    })
    const { before, differences, standalone_question } = await review(own, id, reply)
    expect(before?.searches.map(({ query }) => query)).toEqual(["ferry departure"])
    expect(standalone_question).toBe(sailing)
    expect(differences.map(({ after, before, kind }) => [kind, before, after])).toEqual([
      ["prompt", "You answer like a sailor.", "Be brief."],
      ["model", "claude-sonnet-5-5", "claude-opus-5"],
      ["personality", expect.any(String), expect.stringContaining("stern")],
    ])
  })

  test("shows the turns before the question, and the question as it is understood by them", async () => {
    const { id, own } = await harbour()
    await ask(own, id, "How much is a ticket for the ferry?", "s")
    const { reply } = await ask(own, id, "And when does it sail?", "s")
    const { history, question, standalone_question } = await review(own, id, reply)
    expect(history.map(({ role }) => role)).toEqual(["user", "assistant"])
    expect(question).toBe("And when does it sail?")
    expect(standalone_question).toContain("ferry")
  })

  test("is there for the message of the chatbot only, and for keys that may read conversations and knowledge", async () => {
    const { id, own } = await harbour()
    const { asked, reply } = await ask(own, id, sailing)
    problem(await own.get(at(id, asked)), 409, "conflict")
    problem(await own.get(at(id, crypto.randomUUID())), 404, "not_found")
    const other = await own.newChatbot()
    problem(await own.get(at(other.id, reply)), 404, "not_found")
    problem(await (await client.newOrganization()).get(at(id, reply)), 404, "not_found")
    for (const scope of ["conversations:read", "knowledge:read"] as const) {
      problem(await (await own.limitedTo(scope)).get(at(id, reply)), 403, "forbidden")
    }
    const both = await own.limitedTo("conversations:read", "knowledge:read")
    expect((await both.get(at(id, reply))).status).toBe(200)
    const bound = await own.newKey({ chatbot_id: other.id })
    problem(await bound.client.get(at(id, reply)), 403, "forbidden")
  })
})

test("what is not kept any longer is not shown, and the searches are done as they would be now", async () => {
  const brief = await startServer({ REPLY_GROUNDS_DAYS: "0" })
  const own = await brief.client.newOrganization()
  const { id } = await own.newChatbot({ settings: { model: "local/extractive" } })
  await own.learn(id, { "ferry.md": "The ferry to the islands sails at noon.\n" })
  const { reply } = await ask(own, id, sailing)
  const { before, differences, now, standalone_question } = await review(own, id, reply)
  expect([before, differences, standalone_question]).toEqual([null, [], sailing])
  expect(now.searches).toMatchObject([{ query: sailing, passages: [{ content: expect.stringContaining("noon") }] }])
})
