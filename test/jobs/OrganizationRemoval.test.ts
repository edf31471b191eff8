import { afterAll, describe, expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { type ChatbotId, MessageId, type OrganizationId, SessionId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { OrganizationRemoval } from "../../src/jobs/OrganizationRemoval.ts"
import { ApiKeys } from "../../src/storage/keys/ApiKeys.ts"
import { BlobGarbage } from "../../src/storage/blobs/BlobGarbage.ts"
import { Conversations } from "../../src/storage/conversations/Conversations.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { OrganizationRemains } from "../../src/storage/organizations/OrganizationRemains.ts"
import { Organizations } from "../../src/storage/organizations/Organizations.ts"
import { makeFilledTenant, tablesWithOrganization } from "../lib/FilledTenant.ts"
import { platform, quiet, storage } from "../lib/Layers.ts"
import { as, makeTenant, newId, newApiKey } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(
  OrganizationRemoval.layer.pipe(Layer.provideMerge(Layer.mergeAll(storage, platform, quiet))),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

/** The number of rows of an organization in each table that has any, without the audit log, which stays. */
const rowsOf = Effect.fnUntraced(function* (organization: OrganizationId) {
  const sql = yield* SystemSql
  const tables = (yield* tablesWithOrganization).filter((name) => name !== "audit_log")
  const counts = yield* Effect.forEach(tables, (name) =>
    Effect.map(
      sql<{ count: number }>`
        select count(*)::int as count from ${sql(name)} where organization_id = ${organization}`,
      ([row]) => [name, row?.count ?? 0] as const,
    ),
  )
  const own = yield* sql`select id from organizations where id = ${organization}`
  return Object.fromEntries([...counts, ["organizations", own.length] as const].filter(([, count]) => count > 0))
})

/** Makes conversations with a number of messages each. */
const talk = Effect.fnUntraced(function* (
  { organization, chatbot }: Effect.Success<typeof makeTenant>,
  sessions: number,
  messages: number,
) {
  const conversations = yield* Conversations
  for (let session = 0; session < sessions; session++) {
    const said = yield* Effect.forEach(Array.from({ length: messages }), () =>
      Effect.map(newId, (id) => ({
        id: MessageId.make(id),
        sender_type: "user" as const,
        content: "a",
        mid: undefined,
      })),
    )
    const target = { id: SessionId.make(yield* newId), token: null, tokenKey: null, platform: "web" }
    yield* as(organization)(conversations.append(chatbot, target, said, undefined))
  }
})

describe("a deleted organization", () => {
  it("leaves no rows, registers all of its files for deletion, and does not touch other organizations", function* () {
    const [gone, other] = [yield* makeFilledTenant, yield* makeFilledTenant]
    const before = yield* rowsOf(other.organization)
    expect(yield* rowsOf(gone.organization)).toEqual(before)
    expect(Object.keys(before).length).toBeGreaterThan(8)
    const sql = yield* SystemSql
    const files = yield* sql<{ key: string }>`
      select blob_key as key from documents where organization_id = ${gone.organization}
      union select blob_key from ingestions where organization_id = ${gone.organization}`
    yield* (yield* Organizations).remove(gone.organization)
    yield* (yield* OrganizationRemoval).run
    expect(yield* rowsOf(gone.organization)).toEqual({})
    expect(yield* rowsOf(other.organization)).toEqual(before)
    expect(files.length).toBeGreaterThan(0)
    expect(yield* (yield* BlobGarbage).due(1_000)).toEqual(expect.arrayContaining(files.map(({ key }) => key)))
  })

  it("is not found by anybody from then on, however much it owned", function* () {
    const organizations = yield* Organizations
    const keys = yield* ApiKeys
    const { organization } = yield* makeTenant
    const newKey = newApiKey(organization)
    const key = yield* newKey
    yield* keys.insert(key)
    expect(yield* keys.findLive(key.hash)).toMatchObject({ id: key.id })
    yield* organizations.remove(organization)
    expect(yield* keys.findLive(key.hash)).toBeUndefined()
    expect((yield* Effect.flip(keys.insert(yield* newKey)))._tag).toBe("NotFound")
    expect(yield* organizations.find(organization)).toBeUndefined()
    expect((yield* Effect.flip(organizations.remove(organization)))._tag).toBe("NotFound")
    const renamed = organizations.modify(organization, () => Effect.succeed({ name: "Again" }))
    expect((yield* Effect.flip(renamed))._tag).toBe("NotFound")
  })

  it("is removed completely after a crash in between, and by several servers at once", function* () {
    const tenant = yield* makeTenant
    yield* talk(tenant, 30, 40)
    yield* (yield* Organizations).remove(tenant.organization)
    const { run: removal } = yield* OrganizationRemoval
    const before = yield* rowsOf(tenant.organization)
    // A failure after some transactions leaves the rest to the next run.
    const sql = yield* SystemSql
    yield* sql`create function crash() returns trigger language plpgsql as
      ${sql.literal("'begin if (select count(*) from sessions) < 4 then raise exception ''crash''; end if; return old; end'")}`
    yield* sql`create trigger crash before delete on sessions for each row execute function crash()`
    expect(Exit.isFailure(yield* Effect.exit(removal))).toBe(true)
    yield* sql`drop function crash cascade`
    expect((yield* rowsOf(tenant.organization))["messages"] ?? 0).toBeLessThan(before["messages"] ?? 0)
    expect(yield* (yield* OrganizationRemains).organizations).toContain(tenant.organization)
    yield* Effect.all([removal, removal, removal], { concurrency: "unbounded" })
    expect(yield* rowsOf(tenant.organization)).toEqual({})
    expect(yield* (yield* OrganizationRemains).organizations).toEqual([])
  })

  it("has the files of its chatbots removed, soon and after their rows", function* () {
    const { organization, chatbot } = yield* makeFilledTenant
    const sql = yield* SystemSql
    const seen = yield* Deferred.make<{ readonly rows: number; readonly organization: OrganizationId }>()
    const removeFiles = (id: ChatbotId) =>
      Effect.gen(function* () {
        expect(id).toBe(chatbot)
        const rows = yield* Effect.orDie(sql`select from chatbots where id = ${id}`)
        yield* Deferred.succeed(seen, { rows: rows.length, organization: yield* CurrentOrganization })
      })
    const { runForever, request } = yield* OrganizationRemoval
    const removal = yield* Effect.forkChild(runForever(removeFiles))
    yield* (yield* Organizations).remove(organization)
    yield* request
    expect(yield* Deferred.await(seen)).toEqual({ rows: 0, organization })
    yield* Fiber.interrupt(removal)
  })

  it("is deleted in small statements", function* () {
    const tenant = yield* makeTenant
    yield* talk(tenant, 30, 100)
    yield* (yield* Organizations).remove(tenant.organization)
    const sql = yield* SystemSql
    // A trigger counts the rows that each statement deletes.
    yield* sql`create table deletions (rows bigint)`
    yield* sql`create function count_deletions() returns trigger language plpgsql as
      ${sql.literal("'begin insert into deletions select count(*) from gone; return null; end'")}`
    yield* sql`create trigger count_deletions after delete on messages referencing old table as gone
      for each statement execute function count_deletions()`
    yield* (yield* OrganizationRemoval).run
    const [most] = yield* sql<{ most: number; total: number }>`
      select max(rows)::int as most, sum(rows)::int as total from deletions`
    yield* sql`drop trigger count_deletions on messages`
    expect(most?.total).toBe(3_000)
    expect(most?.most).toBeLessThan(1_200)
  })
})
