import { afterAll, describe, expect } from "bun:test"
import { Deferred, Effect, Layer, ManagedRuntime } from "effect"
import { AttachmentId } from "../../src/domain/chat/Attachment.ts"
import type { OrganizationId } from "../../src/domain/Ids.ts"
import { everything } from "../../src/domain/Page.ts"
import * as Retention from "../../src/jobs/Retention.ts"
import { AuditLog } from "../../src/storage/audit/AuditLog.ts"
import { Attachments } from "../../src/storage/conversations/Attachments.ts"
import { Organizations } from "../../src/storage/organizations/Organizations.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { othersWait, platform, quiet, storage } from "../lib/Layers.ts"
import { as, makeTenant } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

/** Runs the job on a server whose settings keep conversations for this many days. */
const keep = (conversationDays: number) => Retention.run({ conversationDays, groundDays: 90 })
const forEver = Number.POSITIVE_INFINITY

/** Makes an organization that keeps conversations for some days, with conversations whose last activity is some days ago. */
const makeKeeping = Effect.fnUntraced(function* (days: number | null, ages: ReadonlyArray<number>, messages = 2) {
  const { organization, chatbot } = yield* makeTenant
  yield* (yield* Organizations).modify(organization, () => Effect.succeed({ retention_days: days }))
  const sql = yield* SystemSql
  yield* sql`
    with owner as (
      insert into sessions (id, organization_id, chatbot_id, platform, message_count, updated_at)
      select gen_random_uuid(), ${organization}::uuid, ${chatbot}::uuid, 'web', ${messages}::int,
        now() - age * interval '1 day' from unnest(${ages}::float8[]) age returning id
    )
    insert into messages (id, organization_id, session_id, sender_type, content)
    select gen_random_uuid(), ${organization}::uuid, id, 'user', '' from owner, generate_series(1, ${messages}::int)`
  return organization
})

/** The days since the last activity of the conversations that are left, and the number of all messages that are left. */
const left = Effect.fnUntraced(function* (organization: OrganizationId) {
  const sql = yield* SystemSql
  const ages = yield* sql<{ age: number }>`
    select round(extract(epoch from now() - updated_at) / 86400)::int as age from sessions
    where organization_id = ${organization} order by 1`
  const messages = yield* sql`select id from messages where organization_id = ${organization}`
  return { ages: ages.map(({ age }) => age), messages: messages.length }
})

/** What the audit log says of the runs in an organization. */
const runsOf = (organization: OrganizationId) =>
  AuditLog.use((log) =>
    Effect.map(
      as(organization)(
        log.list(
          { action: "conversation.expired", apiKey: undefined, target: undefined, from: undefined, to: undefined },
          everything,
        ),
      ),
      ({ items }) => items.map(({ actor, after }) => [actor.kind, after]),
    ),
  )

describe("attachments", () => {
  it("that are not sent within a day are deleted, and their files", function* () {
    const { organization, chatbot } = yield* makeTenant
    const { add, at } = yield* Attachments
    const addOf = (age: string) => {
      const id = AttachmentId.make(crypto.randomUUID())
      const named = {
        id,
        name: "me.png",
        media_type: "image/png",
        size: 1,
        url: "",
        secret: "s",
        visitor: undefined,
      }
      return Effect.andThen(
        as(organization)(add(chatbot, { ...named, blob_key: `attachments/${id}` })),
        Effect.as(
          SystemSql.use(
            (sql) => sql`update attachments set created_at = now() - ${age}::text::interval where id = ${id}`,
          ),
          id,
        ),
      )
    }
    const [young, old] = [yield* addOf("23 hours"), yield* addOf("25 hours")]
    yield* keep(forEver)
    expect([(yield* at(young, "s"))?.name, yield* at(old, "s")]).toEqual(["me.png", undefined])
    const garbage = yield* SystemSql.use((sql) => sql`select key from blob_garbage where key like 'attachments/%'`)
    expect(garbage).toEqual([{ key: `attachments/${old}` }])
  })
})

describe("retention", () => {
  it("deletes the conversations of an organization that were silent for longer than it says, and no others", function* () {
    const [month, week, silent] = [
      yield* makeKeeping(30, [1, 29, 31, 400]),
      yield* makeKeeping(7, [6, 8]),
      yield* makeKeeping(null, [1, 10_000]),
    ]
    yield* keep(forEver)
    expect(yield* left(month)).toEqual({ ages: [1, 29], messages: 4 })
    expect(yield* left(week)).toEqual({ ages: [6], messages: 2 })
    expect(yield* left(silent)).toEqual({ ages: [1, 10_000], messages: 4 })
    expect(yield* runsOf(month)).toEqual([["server", { conversations: 2, messages: 4, retention_days: 30 }]])
    expect(yield* runsOf(silent)).toEqual([])
  })

  it("is what the settings say where the organization says nothing", function* () {
    const [silent, longer] = [yield* makeKeeping(null, [1, 20]), yield* makeKeeping(30, [1, 20])]
    yield* keep(10)
    expect((yield* left(silent)).ages).toEqual([1])
    expect((yield* left(longer)).ages).toEqual([1, 20])
    expect(yield* runsOf(silent)).toMatchObject([["server", { retention_days: 10 }]])
    yield* keep(10)
    expect(yield* runsOf(silent)).toHaveLength(1)
  })

  it("leaves a conversation to which its visitor comes back while the job runs", function* () {
    const organization = yield* makeKeeping(1, [2])
    const sql = yield* SystemSql
    const isBack = yield* Deferred.make<void>()
    const comeBack = sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`update sessions set updated_at = now() where organization_id = ${organization}`
        yield* Deferred.succeed(isBack, undefined)
        // The job finds the conversation as it was, and waits for this transaction.
        yield* othersWait(sql)
      }),
    )
    const work = Effect.andThen(Deferred.await(isBack), keep(forEver))
    yield* Effect.all([comeBack, work], { concurrency: "unbounded" })
    expect((yield* left(organization)).ages).toEqual([0])
  })

  it("deletes many conversations in small transactions, and records the run as one", function* () {
    const many = yield* makeKeeping(
      1,
      Array.from({ length: 30 }, () => 2),
      199,
    )
    const sql = yield* SystemSql
    yield* sql`create table steps (rows bigint, transaction bigint)`
    yield* sql`create function count_steps() returns trigger language plpgsql as
      'begin insert into steps select count(*), txid_current() from gone; return null; end'`
    yield* sql`create trigger count_steps after delete on messages referencing old table as gone
      for each statement execute function count_steps()`
    yield* keep(forEver)
    const steps = yield* sql<{ rows: number }>`select sum(rows)::int as rows from steps group by transaction`
    yield* sql`drop function count_steps cascade`
    yield* sql`drop table steps`
    expect(yield* left(many)).toEqual({ ages: [], messages: 0 })
    expect(steps.length).toBeGreaterThan(4)
    for (const { rows } of steps) expect(rows).toBeLessThanOrEqual(1_200)
    expect(yield* runsOf(many)).toEqual([["server", { conversations: 30, messages: 5_970, retention_days: 1 }]])
  })

  it("is left to the server that is at work, and goes on with what a dead server has left", function* () {
    const [taken, abandoned] = [yield* makeKeeping(1, [2]), yield* makeKeeping(1, [2])]
    const sql = yield* SystemSql
    yield* sql`insert into retention_runs values (${taken}, now() + interval '1 hour', 0, 0)`
    yield* sql`insert into retention_runs values (${abandoned}, now() - interval '1 hour', 5, 50)`
    yield* keep(forEver)
    expect((yield* left(taken)).ages).toEqual([2])
    expect((yield* left(abandoned)).ages).toEqual([])
    expect(yield* runsOf(abandoned)).toEqual([["server", { conversations: 6, messages: 52, retention_days: 1 }]])
    expect(yield* sql`select organization_id from retention_runs`).toEqual([{ organization_id: taken }])
  })
})

/** Makes an organization with two replies of each of these ages in days, whose ground is kept, and the settings of each age. */
const makeGrounded = Effect.fnUntraced(function* (ages: ReadonlyArray<number>) {
  const { organization, chatbot } = yield* makeTenant
  const sql = yield* SystemSql
  yield* sql`
    with session as (
      insert into sessions (id, organization_id, chatbot_id, platform)
      values (gen_random_uuid(), ${organization}, ${chatbot}, 'web') returning id
    ), reply as (
      insert into messages (id, organization_id, session_id, sender_type, content, created_at)
      select gen_random_uuid(), ${organization}::uuid, id, 'bot', '', now() - age * interval '1 day'
      from session, unnest(${ages}::float8[]) age, generate_series(1, 2) returning id, created_at
    ), setup as (
      insert into chatbot_setups (chatbot_id, setup_hash, organization_id, setup, created_at)
      select distinct ${chatbot}::uuid, created_at::text, ${organization}::uuid, '{}'::jsonb, created_at from reply
    )
    insert into reply_grounds
      (message_id, organization_id, chatbot_id, question, gap, searches, setup_hash, server_version, created_at)
    select id, ${organization}, ${chatbot}, 'How long?', 'weak', '[]', created_at::text, '1.0.0', created_at from reply`
  return organization
})

const groundsLeft = Effect.fnUntraced(function* (organization: OrganizationId) {
  const sql = yield* SystemSql
  const grounds = yield* sql<{ age: number; is_kept: boolean; gap: string; question: string }>`
    select distinct round(extract(epoch from now() - created_at) / 86400)::int as age, gap, question,
      searches is not null and setup_hash is not null and server_version is not null as is_kept
    from reply_grounds where organization_id = ${organization} order by 1`
  const setups = yield* sql`select from chatbot_setups where organization_id = ${organization}`
  return { kept: grounds.map(({ age, is_kept }) => [age, is_kept]), setups: setups.length, grounds }
})

describe("what replies rested on", () => {
  it("is kept for some days; the question and its gap stay, and settings go with the last reply that names them", function* () {
    const organization = yield* makeGrounded([1, 89, 91, 400])
    yield* keep(forEver)
    const left = yield* groundsLeft(organization)
    expect(left.kept).toEqual([
      [1, true],
      [89, true],
      [91, false],
      [400, false],
    ])
    expect(left.setups).toBe(2)
    expect(left.grounds.every(({ gap, question }) => gap === "weak" && question === "How long?")).toBe(true)
  })

  it("is not kept at all where the settings say so", function* () {
    const organization = yield* makeGrounded([0, 5])
    yield* Retention.run({ conversationDays: forEver, groundDays: 0 })
    const { kept, setups } = yield* groundsLeft(organization)
    expect([kept, setups]).toEqual([
      [
        [0, false],
        [5, false],
      ],
      0,
    ])
  })

  it("goes with its conversation, whatever is kept", function* () {
    const organization = yield* makeGrounded([1])
    const sql = yield* SystemSql
    yield* sql`update sessions set updated_at = now() - interval '9 days' where organization_id = ${organization}`
    yield* keep(7)
    expect((yield* groundsLeft(organization)).kept).toEqual([])
  })
})
