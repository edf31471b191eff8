import { afterAll, describe, expect } from "bun:test"
import { Context, DateTime, Deferred, Duration, Effect, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { allScopes, hashKey, makeKey, type Scope } from "../../../src/domain/keys/ApiKey.ts"
import { noBudget } from "../../../src/domain/organizations/Budget.ts"
import { Unavailable } from "../../../src/domain/Errors.ts"
import { everything } from "../../../src/domain/Page.ts"
import { ApiKeys, type KeyRequest } from "../../../src/services/keys/ApiKeys.ts"
import { OrganizationRemoval } from "../../../src/jobs/OrganizationRemoval.ts"
import { Organizations } from "../../../src/services/organizations/Organizations.ts"
import * as Storage from "../../../src/storage/keys/ApiKeys.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { platform, quiet, storage } from "../../lib/Layers.ts"
import { makeTenant } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

/** Counts the lookups of keys in the database, and makes them fail or wait. */
class Lookups extends Context.Service<
  Lookups,
  { count: number; isFailing: boolean; running: number; waitFor: (hash: Uint8Array) => Effect.Effect<void> }
>()("test/Lookups") {}

const unavailable = new Unavailable({ detail: "The database does not answer.", retry_after_seconds: 2 })

const countedKeys = Layer.effectContext(
  Effect.map(Storage.ApiKeys, (keys) => {
    const lookups = Lookups.of({ count: 0, isFailing: false, running: 0, waitFor: () => Effect.void })
    const counted = Storage.ApiKeys.of({
      ...keys,
      findLive: (hash) =>
        Effect.suspend(() => {
          lookups.count++
          lookups.running++
          const found = lookups.isFailing ? Effect.fail(unavailable) : keys.findLive(hash)
          return Effect.ensuring(
            Effect.andThen(lookups.waitFor(hash), found),
            Effect.sync(() => lookups.running--),
          )
        }),
    })
    return Context.make(Storage.ApiKeys, counted).pipe(Context.add(Lookups, lookups))
  }),
)

const runtime = ManagedRuntime.make(
  Layer.mergeAll(ApiKeys.layer, Organizations.layer).pipe(
    Layer.provide(OrganizationRemoval.layer),
    Layer.provideMerge(countedKeys),
    Layer.provideMerge(Layer.mergeAll(storage, platform, quiet)),
  ),
)
const run = runtime.runPromise
const it = effectTests(run)
/** Runs a test with the TestClock, while the clock of the database goes on. */
const runTimeless = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>) =>
  run(Effect.provide(effect, TestClock.layer()))
const timeless = effectTests(runTimeless)
afterAll(() => runtime.dispose())

timeless("wrong keys are looked up two at a time, and a known key does not wait for them", function* () {
  const { organization } = yield* makeTenant
  const { key } = yield* issue({ organization })
  yield* authenticate(key)
  const lookups = yield* Lookups
  const gate = yield* Deferred.make<void>()
  const known = Buffer.from(hashKey(Redacted.value(key)))
  let most = 0
  lookups.waitFor = (hash) => {
    if (known.equals(hash)) return Effect.void
    most = Math.max(most, lookups.running)
    return Deferred.await(gate)
  }
  const wrong = Array.from({ length: 20 }, () => Redacted.make(makeKey(crypto.getRandomValues(new Uint8Array(128)))))
  const guessing = yield* Effect.forkChild(Effect.forEach(wrong, refused, { concurrency: "unbounded" }))
  yield* TestClock.withLive(Effect.repeat(Effect.sleep("5 millis"), { until: () => lookups.running >= 2 }))
  // The process has forgotten the key by then, and looks it up again.
  yield* TestClock.adjust("1 second")
  expect(lookups.running).toBe(2)
  expect((yield* authenticate(key)).organizationId).toBe(organization)
  yield* Deferred.succeed(gate, undefined)
  expect(new Set(yield* Fiber.join(guessing))).toEqual(new Set(["Unauthorized"]))
  expect(most).toBe(2)
  lookups.waitFor = () => Effect.void
})

const issue = (request: Partial<KeyRequest> & Pick<KeyRequest, "organization">) =>
  ApiKeys.use((keys) => keys.issue({ name: "Key", scopes: ["chat"], ...request }))
const authenticate = (key: Redacted.Redacted) => ApiKeys.use((keys) => keys.authenticate(key))
const refused = (key: Redacted.Redacted) => Effect.map(Effect.flip(authenticate(key)), ({ _tag }) => _tag)

describe("an API key", () => {
  it("authenticates its owner with organization, scopes and chatbot", function* () {
    const { organization, chatbot } = yield* makeTenant
    const scopes: ReadonlyArray<Scope> = ["chat", "knowledge:read"]
    const { apiKey, key } = yield* issue({ organization, chatbot, scopes })
    expect(yield* authenticate(key)).toEqual({
      apiKeyId: apiKey.id,
      organizationId: organization,
      scopes,
      chatbots: [chatbot],
      expiresAt: null,
      budgets: { organization: noBudget, key: noBudget },
    })
    expect(Redacted.value(key)).toStartWith(apiKey.prefix)
    expect(Redacted.value(key)).toEndWith(apiKey.last_four)
    expect(Bun.inspect({ apiKey, key })).not.toContain(Redacted.value(key))
  })

  timeless("is refused within a second after its revocation, even if it was just used", function* () {
    const { organization } = yield* makeTenant
    const { apiKey, key } = yield* issue({ organization })
    yield* authenticate(key)
    yield* ApiKeys.use((keys) => keys.revoke(apiKey.id, organization))
    yield* TestClock.adjust("1 second")
    expect(yield* refused(key)).toBe("Unauthorized")
  })

  timeless("is refused after its revocation even if the clock of this machine steps back", function* () {
    const { organization } = yield* makeTenant
    const { apiKey, key } = yield* issue({ organization })
    yield* TestClock.setTime(Duration.toMillis("1 hour"))
    yield* authenticate(key)
    yield* ApiKeys.use((keys) => keys.revoke(apiKey.id, organization))
    yield* TestClock.setTime(0)
    yield* TestClock.adjust("1 second")
    expect(yield* refused(key)).toBe("Unauthorized")
  })

  timeless("expires by the clock of the database, whatever the clock of this machine says", function* () {
    const { organization } = yield* makeTenant
    const sql = yield* SystemSql
    const { apiKey, key } = yield* issue({ organization })
    const used = Effect.andThen(
      sql`update api_keys set expires_at = now() + interval '500 milliseconds' where id = ${apiKey.id}`,
      authenticate(key),
    )
    // On a busy machine it may have expired by then. The refusal is remembered for a second.
    yield* Effect.retry(
      Effect.tapError(used, () => TestClock.adjust("1 second")),
      { times: 50 },
    )
    // Sooner than a remembered lookup ends; by the clock of this machine it is 1970.
    yield* TestClock.adjust("500 millis")
    yield* Effect.repeat(sql`select from api_keys where id = ${apiKey.id} and expires_at <= now()`, {
      until: (expired) => expired.length > 0,
    })
    expect(yield* refused(key)).toBe("Unauthorized")
    yield* sql`update api_keys set expires_at = now() + interval '1 hour' where id = ${apiKey.id}`
    yield* TestClock.setTime(DateTime.makeUnsafe("2999-01-01T00:00:00Z").epochMilliseconds)
    yield* authenticate(key)
  })

  timeless("is looked up once by a request whose database does not answer, and again a moment later", function* () {
    const { organization } = yield* makeTenant
    const { key } = yield* issue({ organization })
    const lookups = yield* Lookups
    lookups.count = 0
    lookups.isFailing = true
    // One request authenticates twice, once for each scheme.
    expect([yield* refused(key), yield* refused(key)]).toEqual(["Unavailable", "Unavailable"])
    expect(lookups.count).toBe(1)
    lookups.isFailing = false
    yield* TestClock.adjust("100 millis")
    yield* authenticate(key)
    expect(lookups.count).toBe(2)
  })

  timeless("that is used often is looked up once a second, like a wrong guess; a malformed key never is", function* () {
    const { organization } = yield* makeTenant
    const { key } = yield* issue({ organization })
    const guess = Redacted.make(makeKey(crypto.getRandomValues(new Uint8Array(128))))
    const lookups = yield* Lookups
    lookups.count = 0
    const ask = Effect.all([authenticate(key), refused(guess)])
    yield* Effect.all(
      Array.from({ length: 20 }, () => ask),
      { concurrency: "unbounded" },
    )
    expect(lookups.count).toBe(2)
    yield* TestClock.adjust("1 second")
    yield* ask
    expect(lookups.count).toBe(4)
    const guessed = Redacted.value(guess)
    const mistyped = guessed.slice(0, -1) + (guessed.endsWith("0") ? "1" : "0")
    const forms = ["", "x", "prl_", mistyped, "a b".repeat(20), "é".repeat(40)]
    for (const form of forms) expect(yield* refused(Redacted.make(form))).toBe("Unauthorized")
    expect(lookups.count).toBe(4)
  })
})

describe("the bootstrap", () => {
  const bootstrap = (given?: string) =>
    Organizations.use((organizations) =>
      organizations.bootstrap(given === undefined ? undefined : Redacted.make(given)),
    )
  const reset = SystemSql.use((sql) => sql`delete from organizations`)
  const operators = Effect.map(
    Organizations.use((organizations) => organizations.list(everything)),
    ({ items }) => items.filter((organization) => organization.is_operator),
  )
  const keysOfOperator = Effect.flatMap(operators, ([operator]) =>
    operator === undefined
      ? Effect.succeed([])
      : Effect.map(
          ApiKeys.use((keys) => keys.list(operator.id, everything)),
          ({ items }) => items,
        ),
  )
  const atOnce = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.all(
      Array.from({ length: 10 }, () => effect),
      { concurrency: "unbounded" },
    )

  it("of ten servers at once creates one organization and one valid key, which one of them shows", function* () {
    yield* reset
    const shown = (yield* atOnce(bootstrap())).filter((key) => key !== undefined)
    expect(shown).toHaveLength(1)
    expect(yield* operators).toHaveLength(1)
    expect(yield* keysOfOperator).toHaveLength(1)
    const caller = yield* authenticate(shown[0] ?? Redacted.make(""))
    expect(caller).toMatchObject({ chatbots: null, scopes: allScopes })
    expect(yield* bootstrap()).toBeUndefined()
    expect(yield* keysOfOperator).toHaveLength(1)
  })

  it("of ten servers at once with a configured key creates that key and shows none", function* () {
    yield* reset
    const given = "operator-".repeat(5)
    expect(yield* atOnce(bootstrap(given))).toEqual(Array.from({ length: 10 }, () => undefined))
    expect(yield* operators).toHaveLength(1)
    expect(yield* keysOfOperator).toHaveLength(1)
    expect((yield* authenticate(Redacted.make(given))).scopes).toEqual(allScopes)
  })

  it("of a later start creates a newly configured key beside the existing ones", function* () {
    yield* reset
    const first = (yield* bootstrap()) ?? Redacted.make("")
    const given = "another-".repeat(5)
    expect(yield* bootstrap(given)).toBeUndefined()
    expect(yield* keysOfOperator).toHaveLength(2)
    expect((yield* authenticate(Redacted.make(given))).organizationId).toBe((yield* authenticate(first)).organizationId)
  })
})
