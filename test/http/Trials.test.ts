import { describe, expect, test } from "bun:test"
import { problem, until, wrongPaths } from "../lib/Client.ts"
import { calls, fails, says, usage as reported } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { uiEvents } from "../lib/UiEvents.ts"

const { client, provider } = await sharedServer()

const model = "claude-sonnet-5-5"
const other = "claude-opus-5"

const at = (chatbot: string) => `/api/external/chatbot/${chatbot}/chat/try`
const question = (content: string) => ({ messages: [{ role: "user", content }] })

/** An organization with a chatbot that knows when the ferry sails. */
const harbour = async () => {
  const own = await client.newOrganization()
  const settings = { model, prompt: "You answer like a sailor.", fallbackModels: ["local/extractive"] }
  const { id } = await own.newChatbot({ settings })
  await own.learn(id, { "ferry.md": "# The ferry\n\nThe ferry to the islands sails at noon.\n" })
  return { own, id }
}

describe("a trial of other settings", () => {
  test("answers with them, searches the documents, and stores no conversation", async () => {
    const { id, own } = await harbour()
    await provider.answers(calls("ferry"), says("At noon."))
    const reply = await own.post(at(id), {
      json: { ...question("When does the ferry sail?"), prompt: "Answer in one word.", model: other },
    })
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({
      output: "At noon.",
      finish_reason: "stop",
      written_by: "model",
      tool_results: [{ result: [{ content: expect.stringContaining("sails at noon") }] }],
    })
    expect(reply.body).not.toHaveProperty("session_id")
    expect(reply.headers.get("x-session-id")).toBeNull()
    const sent = JSON.stringify(reply.body)
    expect(sent).toContain("Answer in one word.")
    expect(sent).toContain(other)
    expect(sent).not.toContain("like a sailor")
    expect((await own.get(`/api/external/chatbot/${id}/conversations`)).body).toMatchObject({ data: [] })
    const { body } = await own.get(`/api/external/chatbot/${id}`)
    expect(body).toMatchObject({ chatbot: { settings: { model, prompt: "You answer like a sailor." } } })
  })

  test("answers as the chatbot does where no setting is named", async () => {
    const { id, own } = await harbour()
    await provider.answers(says("Ahoy."))
    const { body } = await own.post(at(id), { json: question("When?") })
    expect(JSON.stringify(body)).toContain("like a sailor")
  })

  test("streams like a chat", async () => {
    const { id, own } = await harbour()
    await provider.answers(says("At noon."))
    const reply = await own.post(`${at(id)}?stream=true&steps=true`, { json: question("When?") })
    expect((await uiEvents(reply.text)).map(({ type }) => type)).toEqual([
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "data-step",
      "finish-step",
      "finish",
    ])
  })

  test("counts its tokens for the key, the chatbot and the model, and is no reply", async () => {
    const { id, own } = await harbour()
    await provider.answers(says("At noon."))
    await own.post(at(id), { json: { ...question("When?"), model: other } })
    const { body } = await own.get(`/api/external/usage?chatbot_id=${id}&group_by=model`)
    expect(body).toMatchObject({
      data: [{ model: other, replies: 0, input_tokens: reported.input_tokens, output_tokens: reported.output_tokens }],
    })
  })

  test("counts what it has used when it fails", async () => {
    const { id, own } = await harbour()
    await provider.answers(calls("ferry"), fails(400, "invalid_request_error"))
    problem(await own.post(at(id), { json: { ...question("When?"), model: other } }), 502, "provider_failed")
    const { body } = await own.get(`/api/external/usage?chatbot_id=${id}&group_by=model`)
    expect(body).toMatchObject({ data: [{ model: other, replies: 0, output_tokens: reported.output_tokens }] })
  })

  test("is refused once the budget is spent", async () => {
    const { id, own } = await harbour()
    await provider.answers(says("At noon."))
    const key = await own.newKey()
    await own.patch(`/api/admin/api-keys/${key.id}`, { json: { budget: { tokens_per_day: 1 } } })
    const ask = () => key.client.post(at(id), { json: question("When?") })
    problem(await until(ask, ({ status }) => status !== 200), 429, "budget_spent")
  })

  test("asks no fallback in place of a model that it names", async () => {
    const { id, own } = await harbour()
    await provider.answers(fails(400, "invalid_request_error"))
    expect((await own.post(at(id), { json: { ...question("When?"), model: other } })).status).toBe(502)
  })

  test("is refused for a model that the server does not have, as saving it is", async () => {
    const { id, own } = await harbour()
    const reply = await own.post(at(id), { json: { ...question("When?"), model: "gpt-unknown" } })
    problem(reply, 400, "invalid_request")
    expect(wrongPaths(reply)).toEqual(["model"])
  })

  test("is refused for a setting that it does not know", async () => {
    const { id, own } = await harbour()
    expect(wrongPaths(await own.post(at(id), { json: { ...question("When?"), promt: "Be brief." } }))).toEqual([
      "promt",
    ])
  })

  test("needs the right to change the chatbot and the right to chat", async () => {
    const { id, own } = await harbour()
    for (const scopes of [["chat"], ["chatbots:write"]] as const) {
      const key = await own.limitedTo(...scopes)
      problem(await key.post(at(id), { json: question("When?") }), 403, "forbidden")
    }
    await provider.answers(says("At noon."))
    const key = await own.limitedTo("chat", "chatbots:write")
    const { body, status } = await key.post(at(id), { json: question("When?") })
    expect(status).toBe(200)
    // What the model was sent is for those who may read conversations.
    expect(body).toMatchObject({ steps: [{ request: { body: "" } }] })
  })

  test("is refused while the chatbot is not active", async () => {
    const { id, own } = await harbour()
    await own.patch(`/api/external/chatbots?id=${id}`, { json: { active: false } })
    problem(await own.post(at(id), { json: question("When?") }), 409, "chatbot_inactive")
  })
})
