import { describe, expect, test } from "bun:test"
import { type Client, problem, type Reply, type Sent, wrongPaths } from "../../lib/Client.ts"
import { Context } from "effect"
import { IdempotencyBounds } from "../../../src/services/Idempotency.ts"
import { startServer } from "../../lib/TestServer.ts"

/*
 * Which requests share a key, which answers are kept, and what makes a key free again.
 */

const { client } = await startServer(
  { RATE_LIMIT: "off" },
  Context.make(IdempotencyBounds, { ...IdempotencyBounds.defaultValue(), answerLimit: 16 * 1024 }),
)

const chatbots = "/api/external/chatbots"
const keyed = (key: string, sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, "idempotency-key": key } })
const create = (key: string, json: object, by: Client = client) => by.post(chatbots, keyed(key, { json }))
const isReplayed = ({ headers }: Reply) => headers.get("idempotency-replayed") === "true"
const named = async (name: string) => {
  const { body } = await client.get(chatbots)
  const all: ReadonlyArray<{ readonly name: string }> = Object(body).chatbots
  return all.filter((one) => one.name === name).length
}

describe("a key", () => {
  test.each([
    ["is empty", ""],
    ["is empty in quotes", '""'],
    ["has 256 characters", "k".repeat(256)],
    ["has a space without quotes", "a b"],
    ["has a quote that is not closed", '"a'],
    ["has a quote in the middle", 'a"b'],
    ["was sent twice", "a, a"],
    ["is not ASCII", "schlüssel"],
  ])("that %s is refused with 400", async (_, key) => {
    const reply = await client.post(chatbots, { json: { name: "Bad" }, headers: { "idempotency-key": key } })
    expect(wrongPaths(reply)).toEqual(["header.idempotency-key"])
    expect(await named("Bad")).toBe(0)
  })

  test("may have 255 characters, and is the same in quotes, with its escapes", async () => {
    const long = "k".repeat(255)
    await create(long, { name: "Long" })
    expect(isReplayed(await create(`"${long}"`, { name: "Long" }))).toBe(true)
    await create("back\\slash", { name: "Escaped" })
    expect(isReplayed(await create('"back\\\\slash"', { name: "Escaped" }))).toBe(true)
    expect([await named("Long"), await named("Escaped")]).toEqual([1, 1])
  })

  test("belongs to one API key: another one of the organization runs its own request", async () => {
    const { client: other } = await client.newKey()
    await create("shared", { name: "Shared" })
    expect(isReplayed(await create("shared", { name: "Shared" }, other))).toBe(false)
    expect(isReplayed(await create("shared", { name: "Shared" }, await client.newOrganization()))).toBe(false)
    expect(await named("Shared")).toBe(2)
  })

  test("belongs to one method, path, query, body and condition", async () => {
    const { id } = await client.newChatbot()
    const update = (path: string, headers = {}) =>
      client.patch(path, keyed("one-request", { json: { description: "D" }, headers }))
    expect((await update(`${chatbots}?id=${id}`)).status).toBe(200)
    problem(await update(`${chatbots}?chatbotId=${id}`), 422, "idempotency_key_reused")
    problem(await update(`${chatbots}?id=${id}`, { "if-match": '"1"' }), 422, "idempotency_key_reused")
    problem(
      await client.post(chatbots, keyed("one-request", { json: { description: "D" } })),
      422,
      "idempotency_key_reused",
    )
    problem(
      await client.patch(`${chatbots}?id=${id}`, keyed("one-request", { json: { description: "D " } })),
      422,
      "idempotency_key_reused",
    )
    expect(isReplayed(await update(`${chatbots}?id=${id}`))).toBe(true)
  })

  test("changes nothing of a request that only reads or deletes", async () => {
    const { id } = await client.newChatbot()
    const path = `/api/external/chatbot/${id}`
    const headers = { "idempotency-key": "not-for-this" }
    expect(isReplayed(await client.get(path, { headers }))).toBe(false)
    expect((await client.delete(path, { headers })).status).toBe(200)
    expect((await client.delete(path, { headers })).status).toBe(404)
  })
})

describe("an answer that would be the same again is kept", () => {
  const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

  test("404, with its request id, while the response has a new one", async () => {
    const ask = () => client.post(`/api/external/chatbot/${nowhere}/tools`, keyed("missing", { json: tool("missing") }))
    const first = await ask()
    problem(first, 404, "not_found")
    const again = await ask()
    expect([again.status, again.text, isReplayed(again)]).toEqual([404, first.text, true])
    expect(again.headers.get("content-type")).toBe("application/problem+json")
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
  })

  test("412", async () => {
    const { id } = await client.newChatbot()
    const ask = () =>
      client.patch(`${chatbots}?id=${id}`, keyed("stale", { json: { name: "New" }, headers: { "if-match": '"9"' } }))
    problem(await ask(), 412, "precondition_failed")
    expect(isReplayed(await ask())).toBe(true)
  })

  test("415 and 422 of a file", async () => {
    const { id } = await client.newChatbot()
    const upload = () => client.upload(id, { "what.bin": new Uint8Array([1, 2, 3]) }, { "idempotency-key": "what" })
    problem(await upload(), 415, "unsupported_media_type")
    expect(isReplayed(await upload())).toBe(true)
    const [document] = await client.learn(id, { "a.json": '{"a": 1}' })
    const replace = () =>
      client.replace(id, document?.id ?? "", "a.json", "{", { headers: { "idempotency-key": "unreadable" } })
    const first = await replace()
    problem(first, 422, "unreadable_document")
    const again = await replace()
    expect([again.text, isReplayed(again)]).toEqual([first.text, true])
  })

  test("for clients of OpenAI in their form", async () => {
    const ask = (content: string) =>
      client.post(
        "/v1/chat/completions",
        keyed("no-model", { json: { model: "nothing-here", messages: [{ role: "user", content }] } }),
      )
    const first = await ask("Hello")
    expect([first.status, first.body]).toMatchObject([404, { error: { code: "model_not_found" } }])
    const again = await ask("Hello")
    expect([again.status, again.text, isReplayed(again)]).toEqual([404, first.text, true])
    const other = await ask("Hallo")
    expect([other.status, other.body]).toMatchObject([422, { error: { code: "idempotency_key_reused" } }])
  })
})

describe("a request that was refused before it began leaves its key free for any other", () => {
  const refused: ReadonlyArray<readonly [string, number, (key: string) => Promise<Reply>]> = [
    ["without a valid API key", 401, (key) => create(key, { name: "Free" }, client.withKey("prl_wrong"))],
    ["without the scope", 403, async (key) => create(key, { name: "Free" }, await client.limitedTo("chat"))],
    ["with an unknown field", 400, (key) => create(key, { name: "Free", nothing: true })],
    ["with half a body", 400, (key) => client.post(chatbots, json(key, '{"name": "Fr'))],
    [
      "with another media type",
      415,
      (key) =>
        client.post(chatbots, { ...json(key, "a"), headers: { "content-type": "text/plain", "idempotency-key": key } }),
    ],
    ["with a body that is too large", 413, (key) => create(key, { name: "Free", description: "x".repeat(1_100_000) })],
  ]
  const json = (key: string, body: string): Sent => ({
    body,
    headers: { "content-type": "application/json", "idempotency-key": key },
  })

  test.each(refused)("%s", async (why, status, send) => {
    const key = `refused ${why}`.replaceAll(" ", "-")
    expect((await send(key)).status).toBe(status)
    const reply = await create(key, { name: "Begun" })
    expect([reply.status, isReplayed(reply)]).toEqual([200, false])
  })

  test("with a form that is not complete", async () => {
    const form = new FormData()
    form.set("chatbotId", "nonsense")
    problem(await client.post("/api/embedfiles", keyed("form", { form })), 400, "invalid_request")
    expect((await create("form", { name: "Begun" })).status).toBe(200)
  })
})

test("a conflict with what is there is not kept, so that the request can succeed once that is gone", async () => {
  const { id } = await client.newChatbot({ slug: "taken" })
  problem(await create("wants-slug", { name: "Wants", slug: "taken" }), 409, "slug_taken")
  problem(await create("wants-slug", { name: "Wants", slug: "taken" }), 409, "slug_taken")
  await client.delete(`/api/external/chatbot/${id}`)
  expect((await create("wants-slug", { name: "Wants", slug: "taken" })).status).toBe(200)
  expect(isReplayed(await create("wants-slug", { name: "Wants", slug: "taken" }))).toBe(true)
})

test("an answer that is too large to be kept is not given again, and its request is not run again", async () => {
  const large = { name: "Large", settings: { prompt: "x".repeat(20_000) } }
  expect((await create("large", large)).status).toBe(200)
  const again = await create("large", large)
  expect(problem(again, 409, "conflict").detail).toContain("answered with 200")
  expect(await named("Large")).toBe(1)
})

test("names of the same chatbots that collide get different slugs, also within one transaction", async () => {
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, number) => create(`collide-${number}`, { name: "Collide" })),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(await named("Collide")).toBe(6)
})

const tool = (name: string, url = "https://tools.example/") => ({
  name,
  description: "Finds an order.",
  input_schema: { type: "object", properties: {}, required: [] },
  url,
})

test("a tool is created and changed once, and one at a private address is refused", async () => {
  const { id } = await client.newChatbot()
  const path = `/api/external/chatbot/${id}/tools`
  const post = (key: string, json: object) => client.post(path, keyed(key, { json }))
  const first = await post("tool", tool("find"))
  expect(first.status).toBe(201)
  expect((await post("tool", tool("find"))).text).toBe(first.text)
  const toolPath = `${path}/${Object(first.body).tool.id}`
  const patch = (url: string) => client.patch(toolPath, keyed(`patch-${url}`, { json: { url } }))
  expect((await patch("https://other.example/")).status).toBe(200)
  expect(isReplayed(await patch("https://other.example/"))).toBe(true)
  expect(wrongPaths(await post("private", tool("private", "http://10.0.0.1/")))).toEqual(["url"])
  expect(isReplayed(await post("private", tool("private", "http://10.0.0.1/")))).toBe(true)
  expect(wrongPaths(await patch("http://10.0.0.1/"))).toEqual(["url"])
})
