import { afterAll, beforeEach, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as Services from "../../src/services/ServerSecrets.ts"
import { ServerSecrets } from "../../src/storage/ServerSecrets.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { keyOf, withKeys } from "../lib/Keys.ts"
import { platform, quiet, storage } from "../lib/Layers.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(SystemSql.use((sql) => sql`delete from server_secrets`)))

const [old, current] = [keyOf(1), keyOf(2)]
const get = (name = "root") =>
  ServerSecrets.use((secrets) =>
    Effect.map(secrets.get(name), (bytes) => Buffer.from(Redacted.value(bytes)).toString("hex")),
  )
const rows = SystemSql.use(
  (sql) => sql<{ value: string | null; by: string | null }>`
    select encode(value, 'hex') as value, sealed_by as by from server_secrets order by name`,
)

it("a secret of the server is random, made once, and the same for all servers", function* () {
  const all = yield* Effect.all(
    Array.from({ length: 8 }, () => withKeys()(get())),
    { concurrency: "unbounded" },
  )
  expect(new Set(all).size).toBe(1)
  expect(all[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(yield* withKeys()(get("another"))).not.toBe(all[0] ?? "")
})

it("a secret of the server stays the same when it is encrypted, and when its key is replaced", function* () {
  const secret = yield* withKeys()(get())
  expect(yield* rows).toEqual([{ value: secret, by: null }])
  expect(yield* withKeys(old)(get())).toBe(secret)
  const [first] = yield* rows
  expect(first?.value).toBeNull()
  expect(yield* withKeys(current, old)(get())).toBe(secret)
  const [second] = yield* rows
  expect(second?.by).not.toBe(first?.by ?? null)
  expect(yield* withKeys(current)(get())).toBe(secret)
  expect((yield* Effect.flip(withKeys(old)(get())))._tag).toBe("SecretUnreadable")
  expect((yield* Effect.flip(withKeys()(get())))._tag).toBe("SecretUnreadable")
})

/** Uses the service as a server with these keys has it. */
const serving = <A, E, R>(
  keys: ReadonlyArray<Uint8Array>,
  use: (secrets: Services.ServerSecrets["Service"]) => Effect.Effect<A, E, R>,
) => Services.ServerSecrets.use(use).pipe(Effect.provide(Layer.fresh(Services.ServerSecrets.layer)), withKeys(...keys))

it("what one server has signed or encrypted, every other one recognizes, and only for the same purpose", function* () {
  const made = yield* serving([old], (secrets) =>
    Effect.map(secrets.seal("console session", "a session"), (sealed) => ({
      sealed,
      signature: secrets.sign("visitor token", "a text"),
    })),
  )
  yield* serving([old], (secrets) =>
    Effect.gen(function* () {
      expect(secrets.verify("visitor token", "a text", made.signature)).toBe(true)
      expect(secrets.verify("visitor token", "a text.", made.signature)).toBe(false)
      expect(secrets.verify("visitor token", "a text", made.signature.slice(1))).toBe(false)
      expect(secrets.verify("console session", "a text", made.signature)).toBe(false)
      expect(yield* secrets.open("console session", made.sealed)).toBe("a session")
      expect(yield* secrets.open("visitor token", made.sealed)).toBeUndefined()
      for (const forged of ["", "AAAA", made.sealed.slice(4), `${made.sealed}AAAA`, made.sealed.slice(0, -4)]) {
        expect(yield* secrets.open("console session", forged)).toBeUndefined()
      }
    }),
  )
  // A server without the key starts all the same, with a secret of its own, and leaves the common one alone.
  yield* serving([], (secrets) =>
    Effect.sync(() => expect(secrets.verify("visitor token", "a text", made.signature)).toBe(false)),
  )
  yield* serving([old], (secrets) =>
    Effect.sync(() => expect(secrets.verify("visitor token", "a text", made.signature)).toBe(true)),
  )
})
