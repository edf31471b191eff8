import { expect, test } from "bun:test"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { startServer } from "../lib/TestServer.ts"

const { client, query } = await startServer({ EMBEDDINGS: "local:minilm" })

test("a server with a model of its own finds a passage that shares no word with the question", async () => {
  const { id } = await client.newChatbot()
  const documents = await client.learn(id, {
    "refunds.md": "# Refunds\n\nCustomers get their money back within two weeks.",
    "weather.md": "# Weather\n\nThunderstorms form when warm and humid air rises quickly.",
    "music.md": "# Music\n\nThe quartet rehearses each Tuesday evening.",
  })
  expect(documents.map(({ status }) => status)).toEqual(["ready", "ready", "ready"])
  const [first] = await client.found(id, "reimbursement for purchases")
  expect(first).toContain("money back")
  const models = await query(SystemSql.use((sql) => sql`select distinct embedding_model from chunks`))
  expect(models).toEqual([{ embedding_model: expect.stringMatching(/^local:minilm#[0-9a-f]{8}$/) }])
})
