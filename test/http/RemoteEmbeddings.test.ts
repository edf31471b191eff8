import { expect, test } from "bun:test"
import { ManyDocuments, read, until } from "../lib/Client.ts"
import { fakeEmbeddings, fakeEmbeddingsKey } from "../lib/FakeEmbeddings.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { startServer } from "../lib/TestServer.ts"
import { sharedRun } from "../lib/Scoped.ts"

const run = sharedRun()
const fake = await run(fakeEmbeddings(64))
const { client, query } = await startServer({
  EMBEDDINGS: "openai:text-embedding-3-small",
  EMBEDDINGS_API_KEY: fakeEmbeddingsKey,
  EMBEDDINGS_BASE_URL: fake.url,
  // The most dimensions that are supported: such a vector does not fit into a page of the database.
  EMBEDDINGS_DIMENSIONS: "4096",
})

test("a server with a remote embedding model uses it for files and questions, and searches by words while it is down", async () => {
  const { id } = await client.newChatbot()
  const [document] = await client.learn(id, { "harbour.md": "# Harbour\n\nThe harbour master keeps the lantern." })
  expect(document?.status).toBe("ready")
  expect(fake.requests[0]?.body["dimensions"]).toBe(4_096)
  const ask = (query: string) => client.post(`/api/external/chatbot/${id}/query-knowledge`, { json: { query } })
  expect((await ask("who keeps the lantern")).text).toContain("harbour master")
  expect(fake.requests.map(({ texts }) => texts.at(-1))).toContain("who keeps the lantern")
  fake.answer(() => ({ kind: "status", status: 500 }))
  // The vector of the question is remembered.
  expect((await ask("who keeps the lantern")).text).toContain("harbour master")
  expect(fake.requests).toHaveLength(0)
  expect((await ask("the lantern")).text).toContain("harbour master")
  expect(fake.requests).toHaveLength(1)
})

test("a document waits while the embedding provider limits the rate, and becomes ready afterwards", async () => {
  const { id } = await client.newChatbot()
  fake.answer(() => ({ kind: "status", status: 429, headers: { "retry-after-ms": "50" } }))
  const reply = await client.upload(id, { "wait.md": "# Wait\n\nPatience." }, { prefer: "respond-async" })
  const [document] = read(ManyDocuments, reply).documents
  await until(
    () => fake.requests.length,
    (count) => count > 3,
  )
  const look = async () =>
    (await client.get(`/api/external/chatbot/${id}/knowledge-base/documents/${document?.id}`)).text
  expect(JSON.parse(await look())).toMatchObject({ document: { status: "embedding" } })
  await until(look, (text) => text.includes("Its rate limit is reached (429)."))
  fake.answer(() => undefined)
  await until(look, (text) => text.includes('"ready"') && text.includes('"error":null'))
})

test("a document says why it waits for the embedding model, without the key, and that it goes on by itself", async () => {
  const { id } = await client.newChatbot()
  const message = `No models loaded for ${fakeEmbeddingsKey}. Please load a model`
  fake.answer(() => ({ kind: "says", status: 400, body: { error: message } }))
  const reply = await client.upload(id, { "why.md": "# Why\n\nBecause." }, { prefer: "respond-async" })
  const [document] = read(ManyDocuments, reply).documents
  const path = `/api/external/chatbot/${id}/knowledge-base/documents/${document?.id}`
  const waiting = await until(
    () => client.get(path),
    ({ text }) => text.includes("embedding_waits"),
  )
  expect(waiting.body).toMatchObject({
    document: {
      status: "embedding",
      error: {
        message:
          "The embedding provider cannot be used right now. It answers with status 400 and no vectors. It says: No models loaded for [key]. Please load a model. The document goes on by itself once it can.",
      },
    },
  })
  fake.answer(() => undefined)
  await query(SystemSql.use((sql) => sql`update ingestions set run_at = now()`))
  await until(
    () => client.get(path),
    ({ text }) => text.includes('"ready"') && text.includes('"error":null'),
  )
})

test("a server is ready while documents wait for vectors, and says so", async () => {
  const { id } = await client.newChatbot()
  await client.learn(id, { "old.md": "# Old\n\nIt has vectors of an earlier model." })
  await query(
    SystemSql.use(
      (sql) => sql`insert into reembeddings (document_id, organization_id, turn, run_at)
        select id, organization_id, 1, now() + interval '1 hour' from documents where chatbot_id = ${id}`,
    ),
  )
  // The database of a busy machine may not answer in time.
  const reply = await until(
    () => client.get("/readyz"),
    ({ status }) => status !== 503,
  )
  expect([reply.status, reply.body]).toEqual([200, { status: "ready", vectors: "waiting" }])
})
