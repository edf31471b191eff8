import { expect, test } from "bun:test"
import { Context, Duration } from "effect"
import { RunPause, testCommand } from "../../src/cli/Test.ts"
import { commandLine } from "../lib/CommandLine.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client } = await sharedServer()

test("`parley test` shows what a changed document does to tests from a spreadsheet", async () => {
  const { id } = await client.newChatbot({ settings: { model: "local/extractive" } })
  const [document] = await client.learn(id, { "refunds.md": "# Refunds\n\nRefunds take five days." })
  const form = new FormData()
  const csv = "question,find,must_say\nHow long do refunds take?,Refunds | take five days,five days\n"
  form.set("file", new Blob([csv]), "tests.csv")
  expect((await client.post(`/api/external/chatbot/${id}/tests/import`, { form })).status).toBe(200)
  const { key = "" } = await client.limitedTo("chatbots:read", "chatbots:write", "knowledge:read", "conversations:read")
  const parley = commandLine(
    testCommand,
    { PARLEY_URL: client.url, PARLEY_API_KEY: key },
    Context.make(RunPause, Duration.millis(20)),
  )

  const before = await parley(id)
  expect([before.code, before.out]).toEqual([0, expect.stringContaining("1 tests (search): 1 passed, 0 failed")])
  await client.replace(id, document?.id ?? "", "refunds.md", "# Refunds\n\nRefunds take six weeks.", {
    query: "?wait=30",
  })
  const after = await parley(id)
  expect([after.code, after.why]).toEqual([1, expect.stringContaining("1 of 1 tests")])
  expect(after.out).toContain(`failed, worse: How long do refunds take?
  not found: Refunds | take five days
  does not say (words): five days
  before: Refunds take five days.`)

  expect((await parley(id, "--tag", "nothing")).code).toBe(2)
  const reader = await client.limitedTo("chatbots:read")
  expect((await parley(id, "--key", reader.key ?? "")).code).toBe(2)
  expect((await parley(id, "--tier", "model")).why).toContain("scope")
})
