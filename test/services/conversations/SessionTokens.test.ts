import { afterAll, describe, expect } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import type { Scope } from "../../../src/domain/keys/ApiKey.ts"
import { ApiKeyId } from "../../../src/domain/Ids.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { chatLayer, say, shown } from "../../lib/Chatting.ts"
import { makeTenant } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(chatLayer)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const keyWith = (...scopes: ReadonlyArray<Scope>) => ({ apiKeyId: ApiKeyId.make(crypto.randomUUID()), scopes })
const visitor = () => keyWith("chat")
const reader = () => keyWith("chat", "conversations:read")

describe("a short session token", () => {
  it("names one conversation for each key that opens it at once, and one for all requests of a key", function* () {
    const tenant = yield* makeTenant
    const callers = [visitor(), visitor(), reader()]
    const answers = yield* Effect.forEach(
      callers,
      (caller) =>
        Effect.forEach([1, 2, 3, 4], (n) => say(tenant, `Number ${n}`, "visitor", caller), {
          concurrency: "unbounded",
        }),
      { concurrency: "unbounded" },
    )
    const ids = answers.map((of) => new Set(of.map(({ session_id }) => session_id)))
    expect(ids.map(({ size }) => size)).toEqual([1, 1, 1])
    expect(new Set(ids.flatMap((of) => Array.from(of))).size).toBe(3)
  })

  it("continues a conversation whose key was not recorded only for a key that reads conversations", function* () {
    const tenant = yield* makeTenant
    const { session_id } = yield* say(tenant, "Long ago", "visitor", visitor())
    yield* SystemSql.use((sql) => sql`update sessions set token_key = null where id = ${session_id}`)
    expect((yield* say(tenant, "Hello", "visitor", visitor())).session_id).not.toBe(session_id)
    expect(yield* shown).toEqual(["Hello"])
    const [own, other] = [reader(), reader()]
    for (const caller of [own, other, own]) {
      expect((yield* say(tenant, "Hello", "visitor", caller)).session_id).toBe(session_id)
    }
  })
})

it("a token of sixteen characters names one conversation for all keys, also when they open it at once", function* () {
  const tenant = yield* makeTenant
  const answers = yield* Effect.forEach(
    [visitor(), visitor(), reader(), reader()],
    (caller) => say(tenant, "Hello", "0123456789abcdef", caller),
    { concurrency: "unbounded" },
  )
  expect(new Set(answers.map(({ session_id }) => session_id)).size).toBe(1)
})
