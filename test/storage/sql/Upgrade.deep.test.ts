import { afterAll, expect, test } from "bun:test"
import { cpSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import type { SessionName } from "../../../src/domain/chat/SessionToken.ts"
import { ChatbotId, OrganizationId, SessionId } from "../../../src/domain/Ids.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type DeliveryJob, WebhookQueue } from "../../../src/storage/webhooks/WebhookQueue.ts"
import { Ingestions } from "../../../src/storage/documents/Ingestions.ts"
import { migrationsDirectory } from "../../../src/storage/MigrationFiles.ts"
import { migrate } from "../../../src/storage/sql/Migrations.ts"
import { Reembeddings } from "../../../src/storage/documents/Reembeddings.ts"
import { Usage } from "../../../src/storage/usage/Usage.ts"
import { json } from "../../../src/storage/sql/SqlValues.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, sessionNamed } from "../../lib/Tenants.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

/*
 * Migrations of databases with rows that older versions have written.
 */

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const directory = await sharedRun()(temporaryDirectory("upgrade"))
afterAll(() => runtime.dispose())

/** An empty database with the schema up to a migration. */
const goBackTo = Effect.fnUntraced(function* (number: number) {
  const sql = yield* SystemSql
  yield* sql`drop schema public cascade`
  yield* sql`create schema public`
  yield* sql`create extension vector`
  rmSync(directory, { recursive: true, force: true })
  for (const file of readdirSync(migrationsDirectory)) {
    if (Number(file.slice(0, 4)) <= number) cpSync(join(migrationsDirectory, file), join(directory, file))
  }
  yield* migrate(sql, directory)
})

const organization = "00000000-0000-7000-8000-000000000001"
const chatbot = "00000000-0000-7000-8000-000000000002"
const document = (number: number) => `00000000-0000-7000-8000-00000000010${number}`

test("a reply that was counted before usage was kept by model still counts once", () =>
  runtime.runPromise(
    Effect.gen(function* () {
      yield* goBackTo(6)
      const sql = yield* SystemSql
      yield* sql`insert into organizations (id, name) values (${organization}, 'Old')`
      yield* sql`insert into usage_entries (organization_id, message_id, api_key_id, chatbot_id, model, provider,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens)
        values (${organization}, ${chatbot}, ${chatbot}, ${chatbot}, 'm', 'p', 1, 2, 3, 4)`
      yield* migrate(sql, migrationsDirectory)
      yield* (yield* Usage).fold
      expect(yield* sql`select model, replies::int, input_tokens::int as input from usage_days`).toEqual([
        { model: "m", replies: 1, input: 1 },
      ])
    }),
  ))

test("documents that were queued, leased or serving before the queue had turns stay so", () =>
  runtime.runPromise(
    Effect.gen(function* () {
      yield* goBackTo(2)
      const sql = yield* SystemSql
      yield* sql`insert into organizations (id, name) values (${organization}, 'Old')`
      yield* sql`insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config,
        settings, chat_widget_config) values (${chatbot}, ${organization}, 'Old', '', 'old', false, '{}', '{}', '{}')`
      for (const number of [1, 2, 3]) {
        yield* sql`insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256,
          blob_key, status, revision) values (${document(number)}, ${organization}, ${chatbot}, 'a', 'text/plain', 1,
          ${String(number)}, ${String(number)}, ${number === 3 ? "ready" : "queued"}, ${number === 3 ? 4 : 0})`
      }
      yield* sql`insert into ingestions (document_id, organization_id, chatbot_id, name, content_type, size_bytes, sha256,
        blob_key, run_at, lease_id, leased_until) select id, organization_id, chatbot_id, name, content_type, size_bytes,
        sha256, blob_key, now(), case when sha256 = '2' then ${crypto.randomUUID()}::uuid end,
        case when sha256 = '2' then now() + interval '1 hour' end from documents where revision = 0`
      yield* sql`insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings,
        content, language, lexemes, embedding, embedding_model) values (${crypto.randomUUID()}, ${organization}, ${chatbot},
        ${document(3)}, 4, 1, 'a', '{}', 'a', 'english', '', '[1,2,3]', 'old')`

      yield* migrate(sql, migrationsDirectory)

      const [ingestions, reembeddings] = [yield* Ingestions, yield* Reembeddings]
      const lease = { id: crypto.randomUUID(), duration: Duration.minutes(1) }
      expect((yield* ingestions.claim(lease))?.document_id.toString()).toBe(document(1))
      expect(yield* ingestions.claim(lease)).toBeUndefined()
      yield* ingestions.releaseAll
      expect(yield* ingestions.claim(lease)).toBeDefined()
      const chunks = yield* sql`select embedding_dimensions from chunks`
      expect(chunks).toEqual([{ embedding_dimensions: 3 }])
      yield* reembeddings.declare("new")
      yield* reembeddings.enqueue("new")
      expect((yield* reembeddings.claim("new", lease))?.document_id.toString()).toBe(document(3))
    }),
  ))

test("documents that were given up when every start counted as an attempt are tried again", () =>
  runtime.runPromise(
    Effect.gen(function* () {
      yield* goBackTo(12)
      const sql = yield* SystemSql
      yield* sql`insert into organizations (id, name) values (${organization}, 'Old')`
      yield* sql`insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config,
        settings, chat_widget_config) values (${chatbot}, ${organization}, 'Old', '', 'old', false, '{}', '{}', '{}')`
      for (const [number, code] of ["gave_up", "no_text"].entries()) {
        yield* sql`insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256,
          blob_key, status, error) values (${document(number)}, ${organization}, ${chatbot}, 'a', 'text/plain', 1,
          ${code}, ${code}, 'failed', ${json({ code })})`
      }
      yield* migrate(sql, migrationsDirectory)
      const claim = Ingestions.use(({ claim }) => claim({ id: crypto.randomUUID(), duration: Duration.minutes(1) }))
      expect(yield* claim).toMatchObject({ blob_key: "gave_up", attempts: 0, lapses: 0, given_up: 1 })
      expect(yield* claim).toBeUndefined()
    }),
  ))

test("conversations keep their names, and admin keys of the operator become keys with the scope for it", () =>
  runtime.runPromise(
    Effect.gen(function* () {
      yield* goBackTo(16)
      const sql = yield* SystemSql
      const other = document(9)
      yield* sql`insert into organizations (id, name, is_operator)
        values (${organization}, 'Old', true), (${other}, 'Other', false)`
      yield* sql`insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config,
        settings, chat_widget_config) values (${chatbot}, ${organization}, 'Old', '', 'old', false, '{}', '{}', '{}')`
      for (const [number, owner, scopes] of [
        [1, organization, ["chat", "admin"]],
        [2, organization, ["chat"]],
        [3, other, ["admin"]],
      ] as const) {
        yield* sql`insert into api_keys (id, organization_id, name, hash, prefix, last_four, scopes)
          values (${document(number)}, ${owner}, 'Old', ${Buffer.from([number])}, 'p', 'f', ${scopes}::text[])`
      }
      const [named, unnamed] = [SessionId.make(document(4)), document(5)]
      for (const [id, token] of [
        [named, "short"],
        [unnamed, null],
        [document(6), null],
      ] as const) {
        yield* sql`insert into sessions (id, organization_id, chatbot_id, session_token, platform)
          values (${id}, ${organization}, ${chatbot}, ${token}, 'web')`
      }

      yield* migrate(sql, migrationsDirectory)

      expect(yield* sql`select scopes, created_by from api_keys order by id`).toEqual([
        { scopes: ["chat", "admin", "operator"], created_by: null },
        { scopes: ["chat"], created_by: null },
        { scopes: ["admin"], created_by: null },
      ])
      const bounds = { messages: 1, bytes: 1, characters: 1 }
      const found = (scope: SessionName["scope"]) =>
        Conversations.use(({ find }) =>
          find(ChatbotId.make(chatbot), { ...sessionNamed("short"), scope }, bounds).pipe(
            as(OrganizationId.make(organization)),
          ),
        )
      expect(yield* found("any")).toMatchObject({ id: named })
      expect(yield* found("unclaimed")).toMatchObject({ id: named })
      expect(yield* found("own")).toBeUndefined()
    }),
  ))

test("deliveries to webhooks that waited for those before them, or were dropped, are sent or can be sent again", () =>
  runtime.runPromise(
    Effect.gen(function* () {
      yield* goBackTo(44)
      const sql = yield* SystemSql
      const webhook = document(1)
      yield* sql`insert into organizations (id, name) values (${organization}, 'Old')`
      yield* sql`insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config,
        settings, chat_widget_config) values (${chatbot}, ${organization}, 'Old', '', 'old', false, '{}', '{}', '{}')`
      yield* sql`insert into webhooks (id, organization_id, url, description, events, secret, dropped, failures)
        values (${webhook}, ${organization}, 'https://old.example', '', '{chatbot.updated}', 'whsec_eA==', 7, 6)`
      yield* sql`insert into webhook_deliveries (organization_id, webhook_id, type, subject, target, state, announced,
          due_at, attempts, error)
        select ${organization}, ${webhook}, 'chatbot.updated', ${chatbot}, ${chatbot}, state, announced, due_at, attempts,
          error
        from (values
          ('waiting', true, now() - interval '1 minute', 2, 'Not yet.'), ('waiting', true, null, 0, null),
          ('waiting', false, now(), 0, null), ('waiting', true, now() + interval '1 hour', 3, 'Not yet.'),
          ('dropped', true, null, 0, 'Too many deliveries were waiting.'), ('dropped', true, null, 0, null),
          ('delivered', true, null, 1, null)
        ) old (state, announced, due_at, attempts, error)`
      yield* sql`insert into webhook_queue (webhook_id, organization_id, is_failing, lease_id, run_at)
        values (${webhook}, ${organization}, true, ${document(2)}, now() + interval '1 hour')`
      yield* migrate(sql, migrationsDirectory)
      const states = sql`select state, count(*)::int as number, count(*) filter (where due_at <= now())::int as due
        from webhook_deliveries group by 1 order by 1`
      expect(yield* states).toEqual([
        { state: "delivered", number: 1, due: 0 },
        { state: "failed", number: 1, due: 0 },
        { state: "waiting", number: 4, due: 3 },
      ])
      const queue = yield* WebhookQueue
      const jobs: Array<DeliveryJob> = []
      for (let count = 0; count < 4; count++) {
        const job = yield* queue.claim(8, { id: crypto.randomUUID(), duration: Duration.hours(1) })
        if (job === undefined) continue
        jobs.push(job)
        expect(yield* as(OrganizationId.make(organization))(queue.find(job, 10))).toMatchObject({
          url: "https://old.example",
          data: { name: "Old" },
        })
        const accepted = { is_delivered: true, response_status: 200, response: null, error: null, duration_ms: 1 }
        yield* as(OrganizationId.make(organization))(queue.settle(job, accepted, undefined))
      }
      expect(jobs).toHaveLength(3)
    }),
  ))
