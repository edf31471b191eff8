import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { Quota } from "../../src/domain/organizations/Quota.ts"
import { Organization } from "../../src/domain/organizations/Organization.ts"
import { type Client, problem, read, until } from "../lib/Client.ts"
import { startServer } from "../lib/TestServer.ts"

const { client, stored } = await startServer()

const path = "/api/admin/organizations"
const organizationOf = async (own: Client) => {
  const { organizations } = read(Schema.Struct({ organizations: Schema.Array(Organization) }), await own.get(path))
  const [organization] = organizations
  if (organization === undefined) throw new Error("There is no organization")
  return organization
}

/** Makes an organization with this quota, and a chatbot that needs no provider. */
const limited = async (quota: Partial<Quota>) => {
  const own = await client.newOrganization()
  const { id } = await organizationOf(own)
  const { id: chatbot } = await own.newChatbot({ settings: { model: "local/extractive" } })
  expect((await client.patch(`${path}/${id}`, { json: { quota } })).status).toBe(200)
  return { own, id, chatbot }
}

/** Text of some passages. */
const long = (parts: number) =>
  Array.from({ length: parts }, (_, part) => `## Part ${part}\n\n${`Tide ${part} turns. `.repeat(100)}`).join("\n\n")

describe("a quota", () => {
  test("is set by the operator, and read with what is used", async () => {
    const { own, id } = await limited({ chatbots: 1 })
    const shown = await organizationOf(own)
    expect(shown).toMatchObject({ quota: { chatbots: 1, bytes: null }, used: { chatbots: 1, documents: 0 } })
    problem(await own.patch(`${path}/${id}`, { json: { quota: { chatbots: 2 } } }), 403, "forbidden")
    // What was read can be sent back, although what is used has changed meanwhile.
    const reply = await client.patch(`${path}/${id}`, { json: { ...shown, used: { chatbots: 7 } } })
    expect([reply.status, (await organizationOf(own)).used.chatbots]).toEqual([200, 1])
  })

  test("refuses chatbots, tools and conversations with 409, and names the limit", async () => {
    const { own, chatbot } = await limited({ chatbots: 1, conversations: 1 })
    const refused = await own.post("/api/external/chatbots", { json: { name: "One more" } })
    expect(problem(refused, 409, "quota_reached").detail).toBe("The organization's quota of 1 chatbots is reached.")
    const tool = (name: string) =>
      own.post(`/api/external/chatbot/${chatbot}/tools`, {
        json: { name, description: "Looks", input_schema: { type: "object" }, url: "https://192.0.2.1/" },
      })
    // A reserved address is refused at once, without a look at the network.
    expect([(await tool("one")).status, (await organizationOf(own)).used.tools]).toEqual([400, 0])
    expect((await own.say(chatbot, "Hello", { sessionToken: "first" })).status).toBe(200)
    problem(await own.say(chatbot, "Hello", { sessionToken: "second" }), 409, "quota_reached")
    expect((await own.say(chatbot, "Hello", { sessionToken: "first" })).status).toBe(200)
    expect((await organizationOf(own)).used.conversations).toBe(1)
  })

  test("of bytes keeps nothing of an upload that exceeds it", async () => {
    const { own, chatbot } = await limited({ bytes: 100 })
    const before = stored("documents").length
    const refused = await own.upload(chatbot, { "a.txt": "a".repeat(60), "b.txt": "b".repeat(60) })
    expect(problem(refused, 409, "quota_reached").detail).toContain("100 B in documents")
    expect([stored("documents").length, await own.documents(chatbot)]).toEqual([before, []])
    const [document] = await own.learn(chatbot, { "a.txt": "Tides turn. ".repeat(5) })
    problem(await own.replace(chatbot, document?.id ?? "", "a.txt", "a".repeat(101)), 409, "quota_reached")
    expect((await organizationOf(own)).used).toMatchObject({ documents: 1, bytes: 60 })
  })

  test("of passages fails the document, and leaves the old content of a replaced one", async () => {
    const { own, chatbot } = await limited({ chunks: 3 })
    const [document] = await own.learn(chatbot, { "tides.md": "# Tides\n\nThe tide turns at noon." })
    const upload = await own.upload(chatbot, { "long.md": long(20) })
    expect(upload.body).toMatchObject({ documents: [{ status: "failed", error: { code: "quota_reached" } }] })
    problem(await own.replace(chatbot, document?.id ?? "", "tides.md", long(19)), 422, "unreadable_document")
    expect(await own.found(chatbot, "When does the tide turn?")).toEqual([expect.stringContaining("at noon")])
    const used = await until(
      () => organizationOf(own),
      ({ used }) => used.chunks === 1,
    )
    expect(used.used.documents).toBe(2)
  })
})
