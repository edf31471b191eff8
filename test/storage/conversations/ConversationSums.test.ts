import { afterAll, describe, expect, test } from "bun:test"
import { Clock, Deferred, Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import type { ConversationGroups } from "../../../src/domain/organizations/Usage.ts"
import { ConversationSums } from "../../../src/storage/conversations/ConversationSums.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { integers, json } from "../../../src/storage/sql/SqlValues.ts"
import { effectTests } from "../../lib/EffectTests.ts"
import { othersWait, platform, quiet, storage } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { keepWithinADay } from "../../lib/Today.ts"

/*
 * A report reads the sums of days that are over. Whatever happens to the conversations of these days, it is the same as
 * one that counts all of them anew.
 */

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
keepWithinADay()

type Tenant = Effect.Success<typeof makeTenant>

/** The days before today of which conversations are counted. */
const DAYS = 4
const ZONE = "Asia/Kathmandu"
const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const report = ({ organization }: Tenant, groups: ConversationGroups = "day") =>
  as(organization)(
    ConversationSums.use((sums) =>
      sums.count({
        from: dayAgo(DAYS),
        to: dayAgo(0),
        groups,
        timeZone: ZONE,
        reach: null,
        page: { page: 1, limit: 100 },
      }),
    ),
  )

interface Conversation {
  readonly chatbot_id: string
  readonly platform: string
  readonly language: string | null
  readonly page: { readonly url: string } | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly message_count: number
  readonly unanswered_replies: number
  readonly rated_up: number
  readonly rated_down: number
  readonly first_words: ReadonlyArray<number> | null
}

const dayOf = ({ updated_at }: Conversation) => updated_at.toISOString().slice(0, 10)
const hours = new Intl.DateTimeFormat("en", { timeZone: ZONE, hour: "numeric", hourCycle: "h23" })
const groupOf = {
  day: (one) => ({ day: dayOf(one) }),
  chatbot: ({ chatbot_id }) => ({ chatbot_id }),
  "day,chatbot": (one) => ({ day: dayOf(one), chatbot_id: one.chatbot_id }),
  language: ({ language }) => ({ language }),
  platform: ({ platform }) => ({ platform }),
  page: ({ page }) => ({ page: page?.url ?? null }),
  hour: ({ created_at }) => ({ hour: Number(hours.format(created_at)) }),
} satisfies Record<string, (one: Conversation) => object>

const STEP = Math.log(1.04)
const rounded = (word: number) => Math.round(Math.exp(Math.round(Math.log(Math.max(1, word)) / STEP) * STEP))

const countsOf = (all: ReadonlyArray<Conversation>) => {
  const sum = (of: (one: Conversation) => number) => all.reduce((total, one) => total + of(one), 0)
  const words = all.flatMap((one) => one.first_words ?? []).toSorted((a, b) => a - b)
  const percentile = (part: number) => rounded(words[Math.ceil(part * words.length) - 1] ?? 0)
  return {
    conversations: all.length,
    questions: sum(({ message_count }) => Math.floor((message_count + 1) / 2)),
    unanswered: sum((one) => one.unanswered_replies),
    rated_up: sum((one) => one.rated_up),
    rated_down: sum((one) => one.rated_down),
    resolved: sum((one) => Number(one.message_count > 1 && one.unanswered_replies + one.rated_down === 0)),
    first_word_ms: words.length === 0 ? null : { median: percentile(0.5), p95: percentile(0.95) },
  }
}

const sortedBy = (groups: ReadonlyArray<object>) => groups.map((group) => JSON.stringify(group)).toSorted()

/** Expects that reports by all groups are as the conversations are. */
const expectSame = Effect.fnUntraced(function* (tenant: Tenant) {
  const sql = yield* SystemSql
  const all = yield* sql<Conversation>`select * from sessions where organization_id = ${tenant.organization}`
  for (const groups of ["day", "chatbot", "day,chatbot", "language", "platform", "page", "hour"] as const) {
    const { rows, total } = yield* report(tenant, groups)
    const wanted = Map.groupBy(all, (one) => JSON.stringify(groupOf[groups](one)))
    const named = Array.from(wanted, ([group, those]) => ({ ...JSON.parse(group), ...countsOf(those) }))
    expect(sortedBy(rows.map(({ chatbot_name: _, ...row }) => row))).toEqual(sortedBy(named))
    expect(total).toEqual(countsOf(all))
  }
})

/** What happens to the conversations of an organization, of which changes and deletions name one by its number. */
type Step =
  | "report"
  | { readonly added: Added }
  | { readonly changed: number; readonly to: string }
  | { readonly deleted: number }

interface Added {
  readonly platform: string
  readonly language: string | null
  readonly url: string | null
  readonly words: ReadonlyArray<number>
  /** For how long it has gone on. */
  readonly seconds: number
}

/** Changes of what reports count. */
const changes = [
  "message_count = message_count + 2, updated_at = clock_timestamp()",
  "message_count = message_count + 1",
  "unanswered_replies = 1 - unanswered_replies",
  "rated_up = rated_up + 1",
  "rated_down = 1 - rated_down",
  "language = 'fr'",
  "platform = 'console'",
  `page = '{"url": "https://example.com/c"}'`,
  "first_words = first_words || 777",
  "created_at = created_at - interval '15 minutes'",
]

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.constant("report" as const),
  fc.record({
    added: fc.record({
      platform: fc.constantFrom("api", "widget"),
      language: fc.constantFrom("de", "en", null),
      url: fc.constantFrom("https://example.com/a", "https://example.com/b", null),
      words: fc.array(fc.nat(5_000), { maxLength: 3 }),
      seconds: fc.nat(200_000),
    }),
  }),
  fc.record({ changed: fc.nat(4), to: fc.nat(DAYS).map((days) => `updated_at = now() - interval '${days} days'`) }),
  fc.record({ changed: fc.nat(4), to: fc.constantFrom(...changes) }),
  fc.record({ deleted: fc.nat(4) }),
)

const take = (tenant: Tenant, step: Step) =>
  Effect.gen(function* () {
    if (step === "report") return yield* expectSame(tenant)
    const sql = yield* SqlClient.SqlClient
    const numbered = (number: number) => sql`id = (
      select id from sessions where organization_id = ${tenant.organization} order by id offset ${number} limit 1)`
    if ("deleted" in step) return yield* sql`delete from sessions where ${numbered(step.deleted)}`
    if ("changed" in step) {
      return yield* sql`update sessions set ${sql.literal(step.to)} where ${numbered(step.changed)}`
    }
    const { language, platform: origin, seconds, url, words } = step.added
    const page = url === null ? null : json({ url })
    return yield* sql`
      insert into sessions (id, organization_id, chatbot_id, platform, language, page, message_count, first_words, created_at)
      values (${yield* newId}, ${tenant.organization}, ${tenant.chatbot}, ${origin}, ${language}, ${page}, 2,
        ${integers(words)}, now() - ${seconds}::float8 * interval '1 second')`
  }).pipe(as(tenant.organization))

test("a report is as the conversations are, after any history of them and of reports", () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 30 }), (steps) =>
      run(
        Effect.gen(function* () {
          const tenant = yield* makeTenant
          yield* Effect.forEach(steps, (step) => take(tenant, step))
          yield* expectSame(tenant)
        }),
      ),
    ),
    { numRuns: 30 },
  ))

test("a time to the first word is two percent off at most, and a whole number of milliseconds", () => {
  for (let word = 1; word < 60_000; word++) expect(Math.abs(rounded(word) - word)).toBeLessThan(0.0201 * word + 0.5)
})

/** An organization with a conversation of the day before yesterday, in which one question was asked. */
const makeOld = Effect.gen(function* () {
  const tenant = yield* makeTenant
  yield* take(tenant, { added: { platform: "api", language: null, url: null, words: [], seconds: 0 } })
  yield* take(tenant, { changed: 0, to: "updated_at = now() - interval '2 days'" })
  return tenant
})
const ask: Step = { changed: 0, to: "message_count = message_count + 2" }
const questionsOf = (tenant: Tenant) => Effect.map(report(tenant), ({ total }) => total.questions)
const foldedOf = ({ organization }: Tenant) =>
  Effect.map(
    as(organization)(SqlClient.SqlClient.use((sql) => sql<{ day: string }>`select day from folded_days order by day`)),
    (rows) => rows.map(({ day }) => day),
  )

/** Runs an effect in a transaction, which goes on until `other` has begun and waits. Returns what `other` returns. */
const meanwhile = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<unknown, unknown, R>,
  other: Effect.Effect<A, E, R>,
) {
  // To a tenant, Postgres does not show who waits.
  const system = yield* SystemSql
  const done = yield* Deferred.make<void>()
  const all = Effect.andThen(effect, Effect.andThen(Deferred.succeed(done, undefined), othersWait(system)))
  const asSystem = Effect.provideService(all, SqlClient.SqlClient, system)
  const transaction = yield* Effect.forkChild(system.withTransaction(asSystem))
  yield* Deferred.await(done)
  const result = yield* other
  yield* Fiber.join(transaction)
  return result
})

describe("the sums of a day", () => {
  it("are made of days that are over, from that of the first conversation on", function* () {
    const tenant = yield* makeOld
    expect(yield* foldedOf(tenant)).toEqual([])
    yield* report(tenant)
    const [first, ...later] = yield* foldedOf(tenant)
    expect(first).toBe(dayAgo(2))
    // Yesterday is over for good an hour after midnight.
    expect(later).toEqual(new Date().getUTCHours() === 0 ? [] : [dayAgo(1)])
  })

  it("are not made for longer than a client waits: the days that are left are counted", function* () {
    const tenant = yield* makeOld
    const clock = yield* Clock.Clock
    let nanos = 0n
    const slow: Clock.Clock = Object.assign(Object.create(clock), {
      monotonicTimeNanosUnsafe: () => (nanos += 11_000_000_000n),
    })
    const { total } = yield* Effect.provideService(report(tenant), Clock.Clock, slow)
    expect(yield* foldedOf(tenant)).toEqual([])
    expect(total).toEqual((yield* report(tenant)).total)
    expect(yield* foldedOf(tenant)).not.toEqual([])
  })

  it("go with each change of what they count", function* () {
    for (const to of [...changes, "updated_at = updated_at - interval '1 day'"]) {
      const tenant = yield* makeOld
      yield* report(tenant)
      yield* take(tenant, { changed: 0, to })
      yield* expectSame(tenant)
    }
  })

  it("wait for a change that is not committed yet", function* () {
    const tenant = yield* makeOld
    expect(yield* meanwhile(take(tenant, ask), questionsOf(tenant))).toBe(2)
    expect(yield* questionsOf(tenant)).toBe(2)
  })

  it("go with a change that comes while they are made", function* () {
    const tenant = yield* makeOld
    const fold = SystemSql.use(
      (sql) => sql`select fold_conversations(${tenant.organization}, ${dayAgo(2)}::text::date)`,
    )
    yield* meanwhile(fold, take(tenant, ask))
    expect(yield* questionsOf(tenant)).toBe(2)
  })

  it("are not needed where they cannot be stored", function* () {
    const tenant = yield* makeOld
    const sql = yield* SystemSql
    yield* sql`revoke insert on folded_days from parley_tenant`
    yield* Effect.ensuring(expectSame(tenant), Effect.orDie(sql`grant insert on folded_days to parley_tenant`))
    expect(yield* foldedOf(tenant)).toEqual([])
  })
})
