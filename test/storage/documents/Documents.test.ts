import { afterAll, beforeEach, describe, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { ChatbotId, type DocumentId, type OrganizationId } from "../../../src/domain/Ids.ts"
import { BlobGarbage } from "../../../src/storage/blobs/BlobGarbage.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Content, Documents } from "../../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../../src/storage/documents/Ingestions.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, contentOf, makeTenant, newDocumentId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
beforeEach(() => run(SystemSql.use((sql) => sql`delete from ingestions`)))
afterAll(() => runtime.dispose())

interface Tenant {
  readonly organization: OrganizationId
  readonly chatbot: ChatbotId
}

const add = Effect.fnUntraced(function* ({ organization, chatbot }: Tenant, content: Content) {
  return yield* as(organization)((yield* Documents).add(yield* newDocumentId, chatbot, content))
})

/** Claims the next ingestion, as a worker does. */
const claim = Effect.gen(function* () {
  const attempt = yield* (yield* Ingestions).claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) })
  return attempt ?? (yield* Effect.die("nothing waits"))
})
const publishNext = Effect.fnUntraced(function* ({ organization }: Tenant) {
  return yield* as(organization)((yield* Ingestions).publish(yield* claim, 1))
})
const failNext = Effect.fnUntraced(function* ({ organization }: Tenant) {
  return yield* as(organization)((yield* Ingestions).fail(yield* claim, { code: "no_text", message: "No text." }))
})
const get = Effect.fnUntraced(function* ({ organization, chatbot }: Tenant, id: DocumentId) {
  return yield* as(organization)((yield* Documents).get(chatbot, id))
})
const dueGarbage = Effect.flatMap(BlobGarbage, (garbage) => garbage.due(1_000))

describe("a document", () => {
  it("is queued when it is added, and owns its blob", function* () {
    const tenant = yield* makeTenant
    const content = contentOf("one")
    yield* (yield* BlobGarbage).announce([content.blob_key], Duration.zero)
    const document = yield* add(tenant, content)
    const { blob_key, ...shown } = content
    expect(document).toMatchObject({ ...shown, status: "queued", progress: 0, error: null, duplicate: false })
    expect(yield* dueGarbage).not.toContain(blob_key)
    yield* publishNext(tenant)
  })

  it("with the same bytes as an existing one is that one, and the second blob is garbage", function* () {
    const tenant = yield* makeTenant
    const document = yield* add(tenant, contentOf("same"))
    yield* publishNext(tenant)
    const again = contentOf("same", "other name.txt")
    const second = yield* add(tenant, again)
    expect(second).toEqual({ ...(yield* get(tenant, document.id)), duplicate: true })
    expect(second.name).toBe("file.txt")
    expect(yield* dueGarbage).toContain(again.blob_key)
    // Another chatbot gets a document of its own.
    const other = yield* makeTenant
    expect((yield* add(other, contentOf("same"))).duplicate).toBe(false)
    yield* publishNext(other)
  })

  it("that is added ten times at once is inserted once", function* () {
    const tenant = yield* makeTenant
    const contents = Array.from({ length: 10 }, () => contentOf("at once"))
    const added = yield* Effect.forEach(contents, (content) => add(tenant, content), { concurrency: "unbounded" })
    expect(new Set(added.map(({ id }) => id)).size).toBe(1)
    expect(added.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    const due = new Set(yield* dueGarbage)
    expect(contents.filter(({ blob_key }) => due.has(blob_key))).toHaveLength(9)
    yield* publishNext(tenant)
  })

  it("that has failed is tried with the new blob when its bytes are sent again", function* () {
    const tenant = yield* makeTenant
    const [first, again] = [contentOf("broken"), contentOf("broken")]
    const document = yield* add(tenant, first)
    yield* failNext(tenant)
    expect(yield* get(tenant, document.id)).toMatchObject({ status: "failed", error: { code: "no_text" } })
    const second = yield* add(tenant, again)
    expect(second).toMatchObject({ id: document.id, status: "queued", error: null, duplicate: true })
    expect(yield* dueGarbage).toContain(first.blob_key)
    expect((yield* claim).blob_key).toBe(again.blob_key)
    expect(yield* dueGarbage).not.toContain(again.blob_key)
    yield* as(tenant.organization)((yield* Documents).remove(tenant.chatbot, document.id))
  })

  it("can be retried when it has failed, and only then", function* () {
    const tenant = yield* makeTenant
    const documents = yield* Documents
    const retry = (id: DocumentId) => as(tenant.organization)(documents.retry(tenant.chatbot, id))
    const document = yield* add(tenant, contentOf("retried"))
    expect((yield* Effect.flip(retry(document.id)))._tag).toBe("Conflict")
    yield* failNext(tenant)
    expect(yield* retry(document.id)).toMatchObject({ status: "queued", error: null })
    yield* publishNext(tenant)
    expect((yield* Effect.flip(retry(document.id)))._tag).toBe("Conflict")
    expect((yield* Effect.flip(retry(yield* newDocumentId)))._tag).toBe("NotFound")
  })

  it("shows its old content until the new one is ready", function* () {
    const tenant = yield* makeTenant
    const documents = yield* Documents
    const [old, fresh] = [contentOf("old", "old.txt"), contentOf("fresh", "fresh.txt")]
    const document = yield* add(tenant, old)
    yield* publishNext(tenant)
    yield* as(tenant.organization)(documents.replace(tenant.chatbot, document.id, fresh))
    expect(yield* get(tenant, document.id)).toMatchObject({ name: "old.txt", sha256: old.sha256, status: "queued" })
    expect(yield* dueGarbage).not.toContain(old.blob_key)
    expect(yield* publishNext(tenant)).toBe(true)
    expect(yield* get(tenant, document.id)).toMatchObject({
      name: "fresh.txt",
      sha256: fresh.sha256,
      status: "ready",
    })
    expect(yield* dueGarbage).toContain(old.blob_key)
  })

  it("keeps serving when its new content cannot be read, and shows the reason", function* () {
    const tenant = yield* makeTenant
    const documents = yield* Documents
    const [old, bad] = [contentOf("good", "good.txt"), contentOf("bad", "bad.txt")]
    const document = yield* add(tenant, old)
    yield* publishNext(tenant)
    yield* as(tenant.organization)(documents.replace(tenant.chatbot, document.id, bad))
    yield* failNext(tenant)
    expect(yield* dueGarbage).toContain(bad.blob_key)
    expect(yield* get(tenant, document.id)).toMatchObject({
      name: "good.txt",
      status: "ready",
      progress: 1,
      error: { code: "no_text", message: "No text." },
    })
    expect(yield* dueGarbage).not.toContain(old.blob_key)
  })

  it("cannot be replaced by the bytes of another document", function* () {
    const tenant = yield* makeTenant
    const documents = yield* Documents
    const document = yield* add(tenant, contentOf("a"))
    yield* add(tenant, contentOf("b"))
    yield* publishNext(tenant)
    yield* publishNext(tenant)
    const replace = as(tenant.organization)(documents.replace(tenant.chatbot, document.id, contentOf("b")))
    expect((yield* Effect.flip(replace))._tag).toBe("Conflict")
  })

  it("keeps its content, and shows the reason, when its new content has become another document meanwhile", function* () {
    const tenant = yield* makeTenant
    const documents = yield* Documents
    const old = contentOf("first")
    const document = yield* add(tenant, old)
    yield* publishNext(tenant)
    const replacement = contentOf("both")
    yield* as(tenant.organization)(documents.replace(tenant.chatbot, document.id, replacement))
    const attempt = yield* claim
    yield* add(tenant, contentOf("both"))
    expect(yield* as(tenant.organization)((yield* Ingestions).publish(attempt, 1))).toBe(true)
    expect(yield* dueGarbage).toContain(replacement.blob_key)
    expect(yield* get(tenant, document.id)).toMatchObject({
      sha256: old.sha256,
      status: "ready",
      error: { code: "duplicate_content" },
    })
    yield* publishNext(tenant)
  })
})

describe("the documents of a chatbot", () => {
  it("are listed oldest first, by page and by status", function* () {
    const tenant = yield* makeTenant
    const documents = yield* Documents
    const texts = ["a", "b", "c", "d", "e"]
    const ids = (yield* Effect.forEach(texts, (text) => add(tenant, contentOf(text)))).map(({ id }) => id)
    yield* publishNext(tenant)
    yield* failNext(tenant)
    const list = (page: number, limit: number, status?: "ready" | "failed" | "queued") =>
      Effect.map(
        as(tenant.organization)(documents.list(tenant.chatbot, { page, limit }, status && { status })),
        ({ data, total }) => [data.map(({ id }) => id), total],
      )
    expect(yield* list(1, 2)).toEqual([ids.slice(0, 2), 5])
    expect(yield* list(3, 2)).toEqual([ids.slice(4), 5])
    expect(yield* list(4, 2)).toEqual([[], 5])
    expect(yield* list(1, 10, "ready")).toEqual([ids.slice(0, 1), 1])
    expect(yield* list(1, 10, "failed")).toEqual([ids.slice(1, 2), 1])
    expect(yield* list(2, 2, "queued")).toEqual([ids.slice(4), 3])
    yield* as(tenant.organization)(documents.remove(tenant.chatbot, "all"))
  })

  it("are deleted with their queued content, and all of their blobs become garbage", function* () {
    const tenant = yield* makeTenant
    const documents = yield* Documents
    const [ready, next, queued] = [contentOf("ready"), contentOf("next"), contentOf("queued")]
    const document = yield* add(tenant, ready)
    yield* publishNext(tenant)
    yield* as(tenant.organization)(documents.replace(tenant.chatbot, document.id, next))
    yield* add(tenant, queued)
    yield* as(tenant.organization)(documents.remove(tenant.chatbot, "all"))
    const keys = [ready, next, queued].map(({ blob_key }) => blob_key)
    expect(yield* dueGarbage).toEqual(expect.arrayContaining(keys))
    expect(yield* (yield* Ingestions).claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) })).toBeUndefined()
    expect((yield* Effect.flip(get(tenant, document.id)))._tag).toBe("NotFound")
    yield* as(tenant.organization)(documents.remove(tenant.chatbot, "all"))
  })

  it("cannot be added to a chatbot that does not exist", function* () {
    const tenant = yield* makeTenant
    const nowhere = { ...tenant, chatbot: ChatbotId.make(crypto.randomUUID()) }
    expect(yield* Effect.flip(add(nowhere, contentOf("x")))).toMatchObject({
      _tag: "NotFound",
      detail: "There is no such chatbot.",
    })
  })
})
