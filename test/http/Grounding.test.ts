import { describe, expect, test } from "bun:test"
import { calls, says } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { uiEvents } from "../lib/UiEvents.ts"
import { publish, visit } from "../lib/Visitors.ts"

const { client, provider } = await sharedServer()

const model = "claude-sonnet-5-5"
const wrong = "The ferry sails at 9."
const right = "The ferry sails at noon."
const question = { messages: [{ role: "user", content: "When does the ferry sail?" }] }

/** A chatbot that knows when the ferry sails, and checks its replies. */
const harbour = async (grounding: "mark" | "strict", settings: object = {}) => {
  const own = await client.newOrganization()
  const bot = await own.newChatbot({ settings: { model, grounding, ...settings } })
  await own.learn(bot.id, {
    "ferry.md": "# The ferry\n\nThe ferry to the islands sails at noon and comes back at 18:30.\n",
  })
  return { own, ...bot, chat: `/api/external/chatbot/${bot.id}/chat` }
}

const marked = { sentence: wrong, start: right.length + 1, end: right.length + 1 + wrong.length, reason: "number" }

describe("a chatbot that marks unsupported sentences", () => {
  test("has them in the reply, in its stream before the end, in the conversation and in its transcript", async () => {
    const { chat, id, own } = await harbour("mark")
    await provider.answers(calls("ferry"), says(`${right} ${wrong}`), calls("ferry"), says(`${right} ${wrong}`))
    const { body } = await own.post(chat, { json: question })
    expect(body).toMatchObject({ output: `${right} ${wrong}`, unsupported: [marked] })
    const events = await uiEvents((await own.post(`${chat}?stream=true`, { json: question })).text)
    expect(events.slice(-3)).toMatchObject([
      { type: "data-unsupported", data: [marked] },
      { type: "finish-step" },
      { type: "finish" },
    ])
    const conversation = `/api/external/chatbot/${id}/conversations/${(body as { session_id: string }).session_id}`
    const stored = await own.get(`${conversation}/messages`)
    expect(stored.body).toMatchObject({ data: [{ sender_type: "user" }, { unsupported: [marked] }] })
    const transcript = await own.get(`${conversation}/transcript?format=markdown`)
    expect(transcript.text).toContain(`Not found in the documents:\n\n\`\`\`\n${wrong}`)
  })

  test("shows them to its visitors, at once and later", async () => {
    const { id, own } = await harbour("mark")
    await provider.answers(calls("ferry"), says(`${right} ${wrong}`))
    const visitor = await visit(own, await publish(own, id))
    const stream = await visitor.hear("When does the ferry sail?")
    expect(stream.events.map(({ event }) => event).slice(-2)).toMatchObject([
      { type: "unsupported", sentences: [wrong] },
      { type: "finish" },
    ])
    expect((await visitor.messages(stream.ids.conversation)).find(({ role }) => role === "assistant")).toMatchObject({
      unsupported: [wrong],
    })
  })

  test("answers clients of OpenAI with the text alone", async () => {
    const { own, slug } = await harbour("mark")
    await provider.answers(calls("ferry"), says(wrong))
    const { body } = await own.post("/v1/chat/completions", { json: { model: slug, ...question } })
    expect(body).toMatchObject({ choices: [{ message: { content: wrong }, finish_reason: "stop" }] })
    expect(JSON.stringify(body)).not.toContain("unsupported")
  })

  test("does so until the setting is taken back, and refuses a judge that there is not", async () => {
    const { id, own } = await harbour("mark", { judgeModel: model })
    const change = (settings: object) => own.patch(`/api/external/chatbots?id=${id}`, { json: { settings } })
    expect((await own.chatbot(id)).settings).toMatchObject({ grounding: "mark", judgeModel: model })
    expect((await change({ judgeModel: "no-such-model" })).status).toBe(400)
    expect((await change({ grounding: null, judgeModel: null })).status).toBe(200)
    expect((await own.chatbot(id)).settings).not.toHaveProperty("grounding")
    expect((await own.chatbot(id)).settings).not.toHaveProperty("judgeModel")
  })
})

describe("a strict chatbot", () => {
  test("shows a visitor nothing that is unsupported, refuses, and counts the question as unanswered", async () => {
    const { id, own } = await harbour("strict")
    await provider.answers(calls("ferry"), says(wrong), says(wrong))
    const visitor = await visit(own, await publish(own, id))
    const stream = await visitor.hear("When does the ferry sail?")
    const text = stream.events.flatMap(({ event }) => (event.type === "text" ? [event.text] : [])).join("")
    expect(text).toBe("I found nothing about that in the documents.")
    expect(JSON.stringify(stream.events)).not.toContain(wrong)
    const listed = await own.get(`/api/external/chatbot/${id}/conversations/${stream.ids.conversation}/messages`)
    expect(listed.body).toMatchObject({ data: [{}, { content: text, unanswered: true }] })
    expect(listed.text).not.toContain(wrong)
  })

  test("has nothing of a refused answer in the steps that its owner sees", async () => {
    const { chat, own } = await harbour("strict")
    await provider.answers(calls("ferry"), says(wrong), says(right))
    const { body, text } = await own.post(chat, { json: question })
    expect(body).toMatchObject({ output: right })
    expect(text).not.toContain(wrong)
  })

  test("quotes of local/extractive are not checked", async () => {
    const { chat, own } = await harbour("strict", { model: "local/extractive" })
    const { body } = await own.post(chat, { json: question })
    expect(body).toMatchObject({ output: expect.stringContaining("noon") })
    expect(body).not.toHaveProperty("unsupported")
  })
})
