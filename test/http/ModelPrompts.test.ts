import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { Predicate } from "effect"
import { calls, says } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"

/*
 * Shows everything that a language model sees for one question, as files that a person can read. With the variable
 * `WRITE_GOLDEN=1` the test writes the files instead of comparing with them.
 */

const { client, provider } = await sharedServer()

const handbook = [
  "# Handbook",
  "## Tickets",
  "### Prices",
  "A ticket costs 12 EUR. Students pay 8 EUR when they show a valid card at the entrance, and children under six years of age pay nothing at all.",
  "| Ticket | Price |\n| --- | --- |\n| Day | 12 EUR |\n| Student | 8 EUR |",
  "### Refunds",
  "Refunds are paid within 14 days to the card that the ticket was bought with. Write to <refunds@example.org>.",
].join("\n\n")
const parking = "# Parking\n\nThe car park opens at 8. A day of parking costs 5 EUR."

const readable = (value: unknown): string => lines(value).join("\n")

/** A JSON value as indented lines, with texts as they are. */
const lines = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.split("\n")
  if (Array.isArray(value)) return value.flatMap((item) => indented("- ", lines(item)))
  if (!Predicate.isObject(value)) return [String(value)]
  return Object.entries(value).flatMap(([name, item]) => {
    const shown = lines(item)
    const isShort = shown.length === 1 && !Predicate.isObjectOrArray(item)
    return isShort ? [`${name}: ${shown[0]}`] : [`${name}:`, ...indented("  ", shown)]
  })
}

const indented = (start: string, [first = "", ...rest]: ReadonlyArray<string>): ReadonlyArray<string> => [
  `${start}${first}`.trimEnd(),
  ...rest.map((line) => (line === "" ? "" : `  ${line}`)),
]

/** The last request of a chat, with names in place of ids. */
const seen = async (model: string, isToolEnabled: boolean): Promise<string> => {
  const { id } = await client.newChatbot({
    name: "Ada",
    settings: { model, isToolEnabled, prompt: "You help the visitors of a museum." },
  })
  const documents = await client.learn(id, { "handbook.md": handbook, "parking.md": parking })
  const sessionToken = "visitor"
  await provider.answers(says("A ticket costs 12 EUR (Handbook)."))
  await client.chat(id, "What does a ticket cost?", { sessionToken })
  await provider.answers(...(isToolEnabled ? [calls("cost of a student ticket")] : []), says("8 EUR (Handbook)."))
  await client.chat(id, "And for students?", { sessionToken })
  const body = provider.requests().at(-1)?.body ?? ""
  return documents.reduce(
    (text, { id }, index) => text.replaceAll(id, `<id of document ${index + 1}>`),
    readable(JSON.parse(body)),
  )
}

/** The last request of a chat whose question people have approved an answer to. */
const seenOfApproved = async (model: string, isToolEnabled: boolean): Promise<string> => {
  const { id } = await client.newChatbot({ name: "Ada", settings: { model, isToolEnabled, prompt: "" } })
  const path = `/api/external/chatbot/${id}/sources`
  const { body } = await client.post(path, { json: { kind: "questions", name: "Answers" } })
  const json = { question: "Where can I park?", answer: "Behind the museum.\n\nIt costs **5 EUR** a day." }
  const source = Predicate.isObject(body) && Predicate.isObject(body["source"]) ? String(body["source"]["id"]) : ""
  await client.post(`${path}/${source}/questions`, { json })
  await provider.answers(says("Behind the museum."))
  await client.chat(id, "where can i park")
  return readable(JSON.parse(provider.requests().at(-1)?.body ?? "")).replaceAll(/[\da-f-]{36}(?=#)/g, "<id>")
}

describe("what a model sees of one question is in a file:", () => {
  test.each([
    ["anthropic", "claude-sonnet-5-5"],
    ["openai", "openai/test-1"],
  ])("test/golden/prompts/%s.txt", async (name, model) => {
    const path = join(import.meta.dir, `../golden/prompts/${name}.txt`)
    const text = [
      "=== With tools: the request after the search ===",
      await seen(model, true),
      "",
      "=== Without tools: the only request ===",
      await seen(model, false),
      "",
      "=== With tools and an approved answer: the first request ===",
      (await seenOfApproved(model, true)).replace(/\ntools:[^]*/, ""),
      "",
      "=== Without tools, with an approved answer: the only request ===",
      await seenOfApproved(model, false),
      "",
    ].join("\n")
    if (process.env["WRITE_GOLDEN"] === "1") await Bun.write(path, text)
    expect(text).toBe(await Bun.file(path).text())
  })
})
