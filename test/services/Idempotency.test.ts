import { afterAll, beforeAll, describe, expect } from "bun:test"
import { Duration, Effect, Exit, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeyId } from "../../src/domain/Ids.ts"
import { type Answer, Idempotency, IdempotencyBounds, type KeyedRequest } from "../../src/services/Idempotency.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { platform, storage } from "../lib/Layers.ts"
import { asCaller, makeTenant } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const settings = {
  retention: Duration.hours(1),
  lease: Duration.minutes(5),
  answerLimit: 1_000,
  storedLimit: 1_000_000,
}
const services = Idempotency.layer.pipe(
  Layer.provide(Layer.succeed(IdempotencyBounds, settings)),
  Layer.provideMerge(Layer.mergeAll(storage, platform)),
)
const runtime = ManagedRuntime.make(services)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

let tenant: Effect.Success<typeof makeTenant>
beforeAll(async () => {
  tenant = await run(makeTenant)
})
const mine = <A, E, R>(effect: Effect.Effect<A, E, R>) => asCaller(tenant.organization, { apiKeyId })(effect)

const apiKeyId = ApiKeyId.make(crypto.randomUUID())
const secret = "prl_the-secret-of-an-api-key-that-nobody-knows"
const requestOf = (idempotencyKey: string, more: Partial<KeyedRequest> = {}): KeyedRequest => ({
  idempotencyKey,
  credential: Redacted.make(secret),
  parts: ["POST", "/api", "a private question"],
  ...more,
})
const answer: Answer = {
  status: 201,
  headers: { "content-type": "application/json", etag: '"1"' },
  body: Buffer.from('{"key":"a private answer\n"}'),
}

const begin = (request: KeyedRequest) => mine(Idempotency.use((idempotency) => idempotency.begin(request)))
const claimed = (request: KeyedRequest) =>
  Effect.flatMap(begin(request), (beginning) =>
    beginning.claim !== undefined ? Effect.succeed(beginning.claim) : Effect.die("answered already"),
  )
const rename = (name: string) =>
  SqlClient.SqlClient.use((sql) => sql`update chatbots set name = ${name} where id = ${tenant.chatbot}`)
const nameNow = SystemSql.use((sql) =>
  Effect.map(sql<{ name: string }>`select name from chatbots where id = ${tenant.chatbot}`, ([row]) => row?.name),
)

it("an answer that is kept is returned as it was, and nothing of it, of its request or of its keys can be read in the database", function* () {
  const claim = yield* claimed(requestOf("order-4711"))
  yield* claim.keep(answer)
  expect(yield* begin(requestOf("order-4711"))).toEqual({
    answer: { ...answer, body: new Uint8Array(answer.body) },
    claim: undefined,
  })
  const rows = yield* SystemSql.use(
    (sql) => sql<{ row: string; bytes: string }>`
      select row_to_json(k)::text as row, encode(name || fingerprint || answer, 'escape') as bytes
      from idempotency_keys k`,
  )
  const dump = JSON.stringify(rows)
  for (const hidden of ["private", "order-4711", secret, "content-type"]) {
    expect(dump).not.toContain(hidden)
    expect(dump).not.toContain(Buffer.from(hidden).toString("hex"))
  }
})

it("another API key does not meet the answer, even under the same name", function* () {
  yield* (yield* claimed(requestOf("guessed"))).keep(answer)
  const other = yield* begin(requestOf("guessed", { credential: Redacted.make("another-key") }))
  expect(other.claim).toBeDefined()
})

describe("a request with the same key", () => {
  it("goes on with the same operation after a release, and with another after everything was undone", function* () {
    const first = yield* claimed(requestOf("again"))
    yield* first.release
    const second = yield* claimed(requestOf("again"))
    expect([first.isResumed, second.isResumed, second.operation]).toEqual([false, true, first.operation])
    yield* second.forget
    const third = yield* claimed(requestOf("again", { parts: ["GET"] }))
    expect([third.isResumed, third.operation === first.operation]).toEqual([false, false])
  })
})

describe("an operation that is committed together with its answer", () => {
  it("is undone when another attempt has taken its key meanwhile", function* () {
    const claim = yield* claimed(requestOf("overtaken"))
    yield* SystemSql.use((sql) => sql`update idempotency_keys set lease_id = gen_random_uuid()`)
    const before = yield* nameNow
    const exit = yield* Effect.exit(mine(claim.commit("tenant", rename("Overtaken"), () => answer)))
    expect(Exit.isFailure(exit)).toBe(true)
    expect(yield* nameNow).toBe(before)
  })
})
