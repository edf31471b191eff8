import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { everything } from "../../../src/domain/Page.ts"
import { type Schedule, SourceId, SOURCES_MAX, type SourceKind } from "../../../src/domain/knowledge/Source.ts"
import { SourceRunId } from "../../../src/domain/knowledge/SourceRun.ts"
import { AuditLog } from "../../../src/storage/audit/AuditLog.ts"
import { Chatbots } from "../../../src/storage/chatbots/Chatbots.ts"
import { Documents } from "../../../src/storage/documents/Documents.ts"
import { type PageFilter, SourcePages } from "../../../src/storage/sources/SourcePages.ts"
import { SourceRuns } from "../../../src/storage/sources/SourceRuns.ts"
import { type SourceContent, Sources } from "../../../src/storage/sources/Sources.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { someSite } from "../../lib/FilledTenant.ts"
import type { Tenant } from "../../lib/Knowledge.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, contentOf, makeTenant, newDocumentId, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const newRun = Effect.map(newId, (id) => ({ id: SourceRunId.make(id), only: null, isConfirmed: false }))
const page = { page: 1, limit: 100 }
const every = { outcome: undefined, under: undefined }

const newSource = Effect.fnUntraced(function* (
  { chatbot, organization }: Tenant,
  kind: SourceKind = "website",
  content: Partial<SourceContent> = {},
) {
  const first =
    kind === "text"
      ? { document: { id: yield* newDocumentId, content: contentOf(content.text ?? "") } }
      : { run: yield* newRun }
  const id = SourceId.make(yield* newId)
  return yield* as(organization)((yield* Sources).insert(id, chatbot, kind, { ...someSite, ...content }, first))
})

/** What a worker does: takes the job of a source for an hour. */
const lease = (source: SourceId) =>
  SystemSql.use(
    (sql) => sql`update source_queue set lease_id = gen_random_uuid(), run_at = now() + interval '1 hour'
      where source_id = ${source}`,
  )

/** What a worker does at the end of a run. */
const endRun = (source: SourceId) =>
  SystemSql.use((sql) =>
    Effect.andThen(
      sql`delete from source_queue where source_id = ${source}`,
      sql`update source_runs set status = 'finished', ended_at = now(), counts = '{"new": 2}' where source_id = ${source}`,
    ),
  )

const addPages = (source: SourceId, runId: string, urls: ReadonlyArray<string>, outcome: string | null = "new") =>
  SystemSql.use(
    (sql) => sql`
      insert into source_pages (id, organization_id, source_id, url, run_id, is_waiting, outcome)
      select gen_random_uuid(), organization_id, id, url, ${runId}::uuid, ${outcome === null}, ${outcome}::text
      from sources, unnest(${urls}::text[]) url where id = ${source}`,
  )

const hoursUntil = (time: string | null) => Math.round((Date.parse(time ?? "") - Date.now()) / 3_600_000)

describe("a chatbot", () => {
  it("has no more sources than it may, also when many are created at once", function* () {
    const tenant = yield* makeTenant
    const made = yield* Effect.forEach(
      Array.from({ length: SOURCES_MAX + 5 }),
      () => Effect.option(newSource(tenant, "questions", { urls: [] })),
      { concurrency: 10 },
    )
    expect(made.filter(({ _tag }) => _tag === "Some")).toHaveLength(SOURCES_MAX)
    expect(yield* as(tenant.organization)((yield* Sources).list(tenant.chatbot))).toHaveLength(SOURCES_MAX)
  })

  it("is deleted with its sources and their pages", function* () {
    const tenant = yield* makeTenant
    const source = yield* newSource(tenant)
    yield* addPages(source.id, source.last_run?.id ?? "", ["https://docs.example/a"])
    yield* as(tenant.organization)((yield* Chatbots).remove(tenant.chatbot))
    const left = yield* SystemSql.use(
      (sql) => sql`select from sources where id = ${source.id} union all
        select from source_pages where source_id = ${source.id}`,
    )
    expect(left).toEqual([])
  })
})

describe("a source", () => {
  it("is changed only from what it was when it was read", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const sources = yield* Sources
    const before = yield* newSource(tenant)
    const changed = yield* mine(sources.update(before, { ...someSite, name: "Other" }))
    expect([changed.name, changed.version]).toEqual(["Other", before.version + 1n])
    const late = yield* Effect.flip(mine(sources.update(before, { ...someSite, name: "Late" })))
    expect(late._tag).toBe("Conflict")
    expect((yield* mine(sources.get(tenant.chatbot, before.id))).name).toBe("Other")
  })

  it("whose patterns change has the blocks that repeat on its pages forgotten", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const sources = yield* Sources
    const before = yield* newSource(tenant)
    const sql = yield* SystemSql
    yield* sql`update sources set repeated = '["hash"]' where id = ${before.id}`
    const known = sql`select repeated is not null as repeated from sources where id = ${before.id}`
    const renamed = yield* mine(sources.update(before, { ...someSite, name: "Other" }))
    expect(yield* known).toEqual([{ repeated: true }])
    yield* mine(sources.update(renamed, { ...someSite, exclude: ["/old/**"] }))
    expect(yield* known).toEqual([{ repeated: false }])
  })

  it("is audited", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const sources = yield* Sources
    const source = yield* newSource(tenant)
    const runs = yield* SourceRuns
    yield* mine(runs.stop(tenant.chatbot, source.id, source.last_run?.id ?? SourceRunId.make("")))
    yield* mine(runs.start(tenant.chatbot, source.id, yield* newRun))
    yield* mine(sources.update(source, { ...someSite, schedule: "daily" }))
    yield* mine(sources.remove(tenant.chatbot, source.id))
    const filter = { action: undefined, apiKey: undefined, target: source.id, from: undefined, to: undefined }
    const { items } = yield* mine((yield* AuditLog).list(filter, everything))
    expect(items.map(({ action }) => action).toReversed()).toEqual([
      "source.created",
      "source.run_stopped",
      "source.run_started",
      "source.updated",
      "source.deleted",
    ])
    expect(items[1]).toMatchObject({ before: { schedule: null }, after: { schedule: "daily" } })
  })

  it("takes its documents along when it is deleted, and no others", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const documents = yield* Documents
    const { id } = yield* newSource(tenant)
    const origin = { source_id: id, url: "https://docs.example/a", is_approved: false }
    yield* mine(documents.add(yield* newDocumentId, tenant.chatbot, contentOf("page"), origin))
    const upload = yield* mine(documents.add(yield* newDocumentId, tenant.chatbot, contentOf("file")))
    yield* mine((yield* Sources).remove(tenant.chatbot, id))
    const { data: left } = yield* mine(documents.list(tenant.chatbot, page))
    expect(left.map((document) => document.id)).toEqual([upload.id])
  })
})

describe("a text", () => {
  it("goes with its document, and with all documents of the chatbot, while a website stays", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const [sources, documents] = [yield* Sources, yield* Documents]
    const site = yield* newSource(tenant)
    yield* addPages(site.id, site.last_run?.id ?? "", ["https://docs.example/a"])
    const text = (words: string) => newSource(tenant, "text", { urls: [], text: words })
    yield* text("one")
    const two = yield* text("two")
    const [first] = (yield* mine(documents.list(tenant.chatbot, page))).data
    yield* mine(documents.remove(tenant.chatbot, first?.id ?? (yield* newDocumentId)))
    const names = Effect.map(mine(sources.list(tenant.chatbot)), (all) => all.map(({ id }) => id))
    expect(yield* names).toEqual([site.id, two.id])
    yield* mine(documents.remove(tenant.chatbot, "all"))
    expect(yield* names).toEqual([site.id])
    expect((yield* mine((yield* SourcePages).list(site.id, page, every))).total).toBe(0)
  })

  it("that another document of the chatbot has is refused, and leaves nothing", function* () {
    const tenant = yield* makeTenant
    const text = { urls: [], text: "the same" }
    yield* newSource(tenant, "text", text)
    expect((yield* Effect.flip(newSource(tenant, "text", text)))._tag).toBe("Conflict")
    expect(yield* as(tenant.organization)((yield* Sources).list(tenant.chatbot))).toHaveLength(1)
  })
})

describe("a run", () => {
  it("is one at a time, and can be started again when it has ended", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const runs = yield* SourceRuns
    const { id } = yield* newSource(tenant)
    const start = Effect.flatMap(newRun, (one) => mine(runs.start(tenant.chatbot, id, one)))
    expect((yield* Effect.flip(start))._tag).toBe("Conflict")
    yield* endRun(id)
    const started = yield* Effect.forEach(Array.from({ length: 5 }), () => Effect.option(start), { concurrency: 5 })
    expect(started.filter(({ _tag }) => _tag === "Some")).toHaveLength(1)
    const { data: all, total } = yield* mine(runs.list(id, page))
    expect([total, ...all.map(({ counts, status }) => [status, counts])]).toEqual([
      2,
      ["queued", {}],
      ["finished", { new: 2 }],
    ])
  })

  it("that waits is stopped at once, and one under way is asked to stop", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const runs = yield* SourceRuns
    const { id, last_run } = yield* newSource(tenant, "website", { schedule: "daily" })
    const runId = last_run?.id ?? SourceRunId.make("")
    const stopped = yield* mine(runs.stop(tenant.chatbot, id, runId))
    expect([stopped.status, stopped.stopping]).toEqual(["stopped", false])
    expect((yield* Effect.flip(mine(runs.stop(tenant.chatbot, id, runId))))._tag).toBe("Conflict")
    expect(hoursUntil((yield* mine((yield* Sources).get(tenant.chatbot, id))).next_run_at)).toBe(24)
    const next = yield* mine(runs.start(tenant.chatbot, id, yield* newRun))
    yield* lease(id)
    const asked = yield* mine(runs.stop(tenant.chatbot, id, next.id))
    expect([asked.status, asked.stopping, asked.ended_at]).toEqual(["queued", true, null])
  })

  it("that has read pages and waits to go on keeps their numbers when it is stopped", function* () {
    const tenant = yield* makeTenant
    const { id, last_run } = yield* newSource(tenant)
    const runId = last_run?.id ?? SourceRunId.make("")
    yield* addPages(id, runId, ["https://docs.example/a"])
    yield* addPages(id, runId, ["https://docs.example/b"], null)
    const stopped = yield* as(tenant.organization)((yield* SourceRuns).stop(tenant.chatbot, id, runId))
    expect([stopped.status, stopped.counts]).toEqual(["stopped", { new: 1 }])
  })

  it("counts its pages while it is under way", function* () {
    const tenant = yield* makeTenant
    const { id, last_run } = yield* newSource(tenant)
    yield* addPages(id, last_run?.id ?? "", ["https://docs.example/a", "https://docs.example/b"])
    yield* addPages(id, last_run?.id ?? "", ["https://docs.example/c"], null)
    yield* addPages(id, Bun.randomUUIDv7(), ["https://docs.example/d"])
    const [source] = yield* as(tenant.organization)((yield* Sources).list(tenant.chatbot))
    expect(source?.last_run?.counts).toEqual({ new: 2, waiting: 1 })
  })

  it("is forgotten after 30 days, unless it is the last", function* () {
    const tenant = yield* makeTenant
    const mine = as(tenant.organization)
    const runs = yield* SourceRuns
    const { id } = yield* newSource(tenant)
    const again = Effect.gen(function* () {
      yield* endRun(id)
      yield* SystemSql.use(
        (sql) => sql`update source_runs set created_at = created_at - interval '20 days' where source_id = ${id}`,
      )
      yield* mine(runs.start(tenant.chatbot, id, yield* newRun))
    })
    yield* again
    expect((yield* mine(runs.list(id, page))).total).toBe(2)
    yield* again
    expect((yield* mine(runs.list(id, page))).total).toBe(2)
  })
})

describe("a schedule", () => {
  const hours: ReadonlyArray<readonly [Schedule, number]> = [
    ["hourly", 1],
    ["daily", 24],
    ["weekly", 7 * 24],
    ["monthly", 30 * 24],
  ]
  test.each(hours)("%s begins the next run after the last one", (schedule, expected) =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const mine = as(tenant.organization)
        const sources = yield* Sources
        const before = yield* newSource(tenant)
        yield* endRun(before.id)
        const scheduled = yield* mine(sources.update(before, { ...someSite, schedule }))
        expect(hoursUntil(scheduled.next_run_at)).toBe(expected)
        const none = yield* mine(sources.update(scheduled, someSite))
        expect(none.next_run_at).toBeNull()
      }),
    ),
  )

  it("that is overdue begins a run now", function* () {
    const tenant = yield* makeTenant
    const before = yield* newSource(tenant)
    yield* endRun(before.id)
    yield* SystemSql.use(
      (sql) => sql`update source_runs set created_at = now() - interval '3 days' where source_id = ${before.id}`,
    )
    const { next_run_at } = yield* as(tenant.organization)(
      (yield* Sources).update(before, { ...someSite, schedule: "daily" }),
    )
    expect(hoursUntil(next_run_at)).toBeLessThanOrEqual(0)
  })
})

describe("the pages of a source", () => {
  const urls = [
    "https://docs.example/",
    "https://docs.example/guide/",
    "https://docs.example/guide/install",
    "https://docs.example/guide/ünïcode/page",
    "https://docs.example/guide/50%/a_b",
    "https://docs.example/other?at=a/b",
    "http://old.example//double/slash",
  ]

  const withPages = Effect.gen(function* () {
    const tenant = yield* makeTenant
    const { id, last_run } = yield* newSource(tenant)
    yield* addPages(id, last_run?.id ?? "", urls)
    yield* addPages(id, last_run?.id ?? "", ["https://docs.example/guide/waiting"], null)
    const pages = yield* SourcePages
    const mine = as(tenant.organization)
    return {
      list: (filter: Partial<PageFilter>) =>
        Effect.map(mine(pages.list(id, page, { ...every, ...filter })), (found) => found.data.map(({ url }) => url)),
      branches: (under?: string) => mine(pages.branches(id, under)),
    }
  })

  it("are listed by their addresses, by outcome and by what these begin with", function* () {
    const { list } = yield* withPages
    expect(yield* list({})).toEqual([...urls, "https://docs.example/guide/waiting"].toSorted())
    expect(yield* list({ under: "https://docs.example/guide/i" })).toEqual(["https://docs.example/guide/install"])
    expect(yield* list({ under: "https://docs.example/guide/50%/a_" })).toHaveLength(1)
    expect(yield* list({ under: "https://docs.example/guide/_" })).toEqual([])
  })

  it("are a tree of hosts and segments of paths, of which every page is found", function* () {
    const { branches } = yield* withPages
    expect(yield* branches()).toEqual([
      { prefix: "https://docs.example/", name: "docs.example", page_count: 7, counts: { new: 6, waiting: 1 } },
      { prefix: "http://old.example/", name: "old.example", page_count: 1, counts: { new: 1 } },
    ])
    expect(yield* branches("https://docs.example/guide/")).toEqual([
      { prefix: "https://docs.example/guide/", name: "", page_count: 1, counts: { new: 1 } },
      { prefix: "https://docs.example/guide/50%/", name: "50%", page_count: 1, counts: { new: 1 } },
      { prefix: "https://docs.example/guide/install", name: "install", page_count: 1, counts: { new: 1 } },
      { prefix: "https://docs.example/guide/waiting", name: "waiting", page_count: 1, counts: { waiting: 1 } },
      { prefix: "https://docs.example/guide/ünïcode/", name: "ünïcode", page_count: 1, counts: { new: 1 } },
    ])
    // Whoever opens every branch sees every page once.
    const leaves = (under?: string): Effect.Effect<ReadonlyArray<string>, unknown> =>
      Effect.flatMap(branches(under), (found) =>
        Effect.map(
          Effect.forEach(found, ({ prefix }) =>
            prefix.endsWith("/") && prefix !== under ? leaves(prefix) : Effect.succeed([prefix]),
          ),
          (all) => all.flat(),
        ),
      )
    expect((yield* leaves()).toSorted()).toEqual([...urls, "https://docs.example/guide/waiting"].toSorted())
  })
})
