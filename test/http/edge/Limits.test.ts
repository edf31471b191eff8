import { describe, expect, test } from "bun:test"
import { invalid, problem } from "../../lib/Client.ts"
import { calls, says } from "../../lib/FakeAnthropic.ts"
import { startServer } from "../../lib/TestServer.ts"

/** A server with small limits, as far as they are settings. */
const { client, provider, stored } = await startServer({
  UPLOAD_FILE_LIMIT: "2KiB",
  JSON_BODY_LIMIT: "4KiB",
  CHAT_STEPS_LIMIT: "3",
  SIMILARITY_THRESHOLD: "1",
})

const MIB = 1024 * 1024
const sized = (bytes: number) => new Uint8Array(bytes).fill(97)
const claude = { settings: { model: "claude-sonnet-5-5" } }

describe("a limit", () => {
  test("of the size of avatars is enforced", async () => {
    const { id } = await client.newChatbot()
    const send = (bytes: number) => {
      const form = new FormData()
      form.set("avatar", new Blob(["GIF89a", sized(bytes - 6)]), "a.gif")
      return client.patch(`/api/external/chatbot/${id}/update-avatar`, { form })
    }
    problem(await send(10 * MIB + 1), 413, "too_large")
    expect(problem(await send(20 * MIB), 413, "too_large").detail).toBe("The file: at most 10 MiB.")
    expect(stored("avatars")).toEqual([])
    expect((await send(10 * MIB)).status).toBe(200)
  })

  test("of the size and the number of files is enforced, with the name of the file", async () => {
    const { id } = await client.newChatbot()
    const { detail } = problem(
      await client.upload(id, { "small.txt": sized(1), "large.txt": sized(2049) }),
      413,
      "too_large",
    )
    expect(detail).toBe("large.txt: at most 2 KiB.")
    const form = await client.upload(id, { "large.txt": sized(1_000_000) })
    expect(problem(form, 413, "too_large").detail).toBe("The form: at most 10 files. Each of them: at most 2 KiB.")
    const files = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`${index}.txt`, index === 0 ? sized(2048) : `${index}`]),
      )
    problem(await client.upload(id, files(11)), 413, "too_large")
    expect(await client.documents(id)).toEqual([])
    expect(stored("documents")).toEqual([])
    const [document] = await client.learn(id, files(10))
    problem(await client.replace(id, document?.id ?? "", "large.txt", sized(2049)), 413, "too_large")
    problem(await client.replace(id, document?.id ?? "", "larger.txt", sized(1_000_000)), 413, "too_large")
    expect((await client.document(id, document?.id ?? "")).name).toBe("0.txt")
  })

  test("of the size of JSON is enforced", async () => {
    const { id } = await client.newChatbot()
    problem(await client.search(id, "x", { extra: "x".repeat(5_000) }), 413, "too_large")
    invalid(await client.search(id, "x", { extra: JSON.parse(`${"[".repeat(32)}1${"]".repeat(32)}`) }), "body")
  })

  test("of similarity is applied, and shown in the response", async () => {
    const { id } = await client.newChatbot()
    await client.learn(id, { "tides.md": "# Tides\n\nThe tide at Morlaix turns at noon, and the ferry leaves." })
    const { body } = await client.search(id, "When does the bakery near the tide open?")
    expect(body).toEqual({ results: [], similarity_threshold_setting: 1, status: "OK", total_docs: 0 })
  })

  test("of steps is enforced, and the last step answers without tools", async () => {
    const { id } = await client.newChatbot(claude)
    await provider.answers(calls("one"), calls("two"), says("Enough."))
    const { output, steps } = await client.chat(id, "When?")
    expect({ output, steps: steps.length }).toEqual({ output: "Enough.", steps: 3 })
    expect(JSON.parse(provider.requests()[2]?.body ?? "")).toMatchObject({ tool_choice: { type: "none" } })
  })
})
