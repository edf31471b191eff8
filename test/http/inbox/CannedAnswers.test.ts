import { describe, expect, test } from "bun:test"
import { sharedServer } from "../../lib/TestServer.ts"

const { client } = await sharedServer()
const { id: chatbot } = await client.newChatbot({ name: "Ferry" })
const path = `/api/external/chatbot/${chatbot}/canned-answers`
const hours = { shortcut: "hours", content: "We are here from nine to five." }

describe("canned answers of a chatbot", () => {
  test("are created, listed by shortcut, changed and deleted", async () => {
    const made = await client.post(path, { json: hours })
    expect(made).toMatchObject({ status: 201, body: { canned_answer: hours } })
    await client.post(path, { json: { shortcut: "bikes", content: "Bicycles travel free." } })
    expect((await client.get(path)).body).toMatchObject({
      canned_answers: [{ shortcut: "bikes" }, { shortcut: "hours" }],
    })
    const own = `${path}/${Object(made.body).canned_answer.id}`
    const changed = await client.patch(own, { json: { content: "Until six now." } })
    expect(changed).toMatchObject({
      status: 200,
      body: { canned_answer: { shortcut: "hours", content: "Until six now." } },
    })
    expect((await client.delete(own)).status).toBe(200)
    expect((await client.delete(own)).status).toBe(404)
    expect((await client.get(path)).body).toMatchObject({ canned_answers: [{ shortcut: "bikes" }] })
  })

  test("have shortcuts of their own", async () => {
    expect((await client.post(path, { json: hours })).status).toBe(201)
    expect(await client.post(path, { json: hours })).toMatchObject({ status: 409, body: { code: "conflict" } })
  })
})
