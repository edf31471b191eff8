import { describe, expect, test } from "bun:test"
import { Effect, Schema } from "effect"
import type { Document } from "../../src/domain/knowledge/Document.ts"
import { Source } from "../../src/domain/knowledge/Source.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Client, invalid, problem, read, type Reply, until } from "../lib/Client.ts"
import { startEndpoint } from "../lib/Endpoint.ts"
import { startServer } from "../lib/TestServer.ts"
import { expectDocumented, newWebhook, verified } from "../lib/Webhooks.ts"

const { client, query, stored } = await startServer()

const OneSource = Schema.Struct({ source: Source })
const sourceOf = (reply: Reply) => read(OneSource, reply).source
const at = (chatbot: string, rest = "") => `/api/external/chatbot/${chatbot}/sources${rest}`
const create = (chatbot: string, json: object, as: Client = client) => as.post(at(chatbot), { json })

const hours = { kind: "text", name: "Opening hours", text: "The ropery of Rochefort is open on Sundays." }
const site = { kind: "website", name: "Site", urls: ["https://docs.example/"] }

/** The only document of a chatbot, once it is ready. */
const readyDocument = async (chatbot: string): Promise<Document> => {
  const documents = await until(
    () => client.documents(chatbot),
    (all) => all.length > 0 && all.every(({ status }) => status === "ready"),
  )
  expect(documents).toHaveLength(1)
  return documents[0] ?? expect.unreachable()
}

describe("a text", () => {
  test("is a document under its name, which is searched, replaced and deleted with it", async () => {
    const { id } = await client.newChatbot()
    const reply = await create(id, hours)
    expect(reply.status).toBe(201)
    const source = sourceOf(reply)
    expect(source).toMatchObject({
      ...hours,
      chatbot_id: id,
      urls: [],
      schedule: null,
      document_count: 1,
      last_run: null,
    })
    const document = await readyDocument(id)
    expect(document).toMatchObject({ name: "Opening hours", source_id: source.id, url: null })
    expect((await client.found(id, "When is the ropery open?"))[0]).toContain("Title: Opening hours\n")

    const changed = { text: "The ropery of Rochefort is open on Mondays." }
    expect(sourceOf(await client.patch(at(id, `/${source.id}`), { json: changed })).text).toBe(changed.text)
    await until(
      () => client.found(id, "When is the ropery open?"),
      ([passage]) => passage?.includes("Mondays") === true,
    )
    expect((await readyDocument(id)).id).toBe(document.id)

    await client.patch(at(id, `/${source.id}`), { json: { name: "Visits" } })
    expect((await until(() => readyDocument(id), { name: "Visits" })).id).toBe(document.id)
    expect((await client.delete(at(id, `/${source.id}`))).body).toEqual({ message: "Source deleted successfully" })
    expect(await client.documents(id)).toEqual([])
    expect(await until(() => stored("documents").length, 0)).toBe(0)
  })

  test("keeps its own first heading as the title", async () => {
    const { id } = await client.newChatbot()
    await create(id, { ...hours, text: "# Visits\n\nThe ropery is open on Sundays." })
    await readyDocument(id)
    expect((await client.found(id, "When is the ropery open?"))[0]).toContain("Title: Visits\n")
  })

  test("goes with its document", async () => {
    const { id } = await client.newChatbot()
    await create(id, hours)
    const document = await readyDocument(id)
    await client.delete(`/api/external/chatbot/${id}/knowledge-base/documents/${document.id}`)
    expect((await client.get(at(id))).body).toEqual({ sources: [] })
  })

  test("that another document has is refused", async () => {
    const { id } = await client.newChatbot()
    await create(id, hours)
    problem(await create(id, hours), 409, "conflict")
  })
})

test("a document of a source cannot be replaced beside it", async () => {
  const { id } = await client.newChatbot()
  await create(id, hours)
  problem(await client.replace(id, (await readyDocument(id)).id, "other.md", "Other"), 409, "conflict")
})

describe("a source", () => {
  test("of pages begins with a run, and has defaults", async () => {
    const { id } = await client.newChatbot()
    const reply = await create(id, { ...site, schedule: "daily" })
    const source = sourceOf(reply)
    expect(source).toMatchObject({ ...site, include: [], exclude: [], depth: 10, max_pages: 2_000, text: null })
    expect(source.last_run).toMatchObject({ trigger: "manual", only: null })
    expect(sourceOf(await client.get(at(id, `/${source.id}`))).id).toBe(source.id)
    const listed = read(Schema.Struct({ sources: Schema.Array(Source) }), await client.get(at(id)))
    expect(listed.sources.map((one) => one.id)).toEqual([source.id])
    const runs = Object((await client.get(at(id, `/${source.id}/runs`))).body)
    expect([runs.metadata.totalCount, runs.data[0].id]).toEqual([1, source.last_run?.id])
  })

  test("is changed only where it still is the version that If-Match names", async () => {
    const { id } = await client.newChatbot()
    const made = await create(id, { kind: "questions", name: "Answers" })
    const path = at(id, `/${sourceOf(made).id}`)
    const headers = { "if-match": made.headers.get("etag") ?? "" }
    const renamed = await client.patch(path, { json: { name: "Questions" }, headers })
    expect([renamed.status, renamed.headers.get("etag")]).toEqual([200, (await client.get(path)).headers.get("etag")])
    problem(await client.patch(path, { json: { name: "Late" }, headers }), 412, "precondition_failed")
    // All that was shown can be sent back.
    expect((await client.patch(path, { json: Object(renamed.body).source })).status).toBe(200)
    invalid(await client.patch(path, { json: { kind: "website" } }), "kind")
  })

  const wrong: ReadonlyArray<readonly [string, object, string]> = [
    ["pages without an address", { kind: "website", urls: [] }, "urls"],
    ["pages with a text", { ...site, text: "Text" }, "text"],
    ["a private address", { ...site, urls: ["https://docs.example/", "http://10.0.0.1/"] }, "urls.1"],
    ["a file", { ...site, urls: ["file:///etc/passwd"] }, "urls.0"],
    ["an address with a password", { ...site, urls: ["https://me:secret@docs.example/"] }, "urls.0"],
    ["a text that is empty", { ...hours, text: " \n" }, "text"],
    ["a text with an address", { ...hours, urls: site.urls }, "urls"],
    ["a text with a schedule", { ...hours, schedule: "daily" }, "schedule"],
    ["questions with a text", { kind: "questions", text: "Text" }, "text"],
    ["too many addresses", { ...site, urls: Array.from({ length: 51 }, () => "https://docs.example/") }, "urls"],
  ]
  test.each(wrong)("is refused with %s", async (_, json, path) => {
    const { id } = await client.newChatbot()
    invalid(await create(id, { name: "Wrong", ...json }), path)
    expect((await client.get(at(id))).body).toEqual({ sources: [] })
  })

  test("that is a text or has questions has no runs and no preview", async () => {
    const { id } = await client.newChatbot()
    const source = sourceOf(await create(id, { kind: "questions", name: "Answers" }))
    problem(await client.post(at(id, `/${source.id}/runs`), { json: {} }), 409, "conflict")
    invalid(await client.post(at(id, "/preview"), { json: hours }), "kind")
  })
})

test("a webhook hears of the ends of runs", async () => {
  const owner = await client.newOrganization()
  const { id } = await owner.newChatbot()
  const endpoint = startEndpoint()
  const source = sourceOf(await create(id, site, owner))
  const hook = await newWebhook(owner, endpoint.url, ["source.finished", "source.failed"])
  const end = (status: string, error: object | null) =>
    query(
      SystemSql.use((sql) =>
        Effect.andThen(
          sql`insert into source_runs (id, organization_id, source_id, trigger, status)
            select ${Bun.randomUUIDv7()}, organization_id, id, 'schedule', 'running' from sources where id = ${source.id}`,
          sql`update source_runs set status = ${status}, counts = '{"new": 2}', ended_at = now(),
              error = ${error === null ? null : JSON.stringify(error)}::text::jsonb
            where source_id = ${source.id} and status = 'running' and trigger = 'schedule'`,
        ),
      ),
    )
  await end("finished", null)
  await end("held", { code: "pages_missing", message: "Most pages are gone." })
  const events = (
    await until(
      () => endpoint.asked,
      (asked) => asked.filter(({ body }) => body.includes('"run_id"')).length >= 2,
    )
  ).map((asked) => verified(asked, hook.secret))
  events.forEach(expectDocumented)
  const told = events.filter(({ data }) => data["status"] !== "failed")
  expect(told.map(({ data, type }) => [type, data["id"], data["status"], data["counts"]])).toEqual(
    expect.arrayContaining([
      ["source.finished", source.id, "finished", { new: 2 }],
      ["source.failed", source.id, "held", { new: 2 }],
    ]),
  )
  expect((await owner.get("/api/external/chatbots/totals")).body).toMatchObject({
    totals: [{ sources: { total: 1, failed: 1 } }],
  })
})
