import { afterAll, describe, expect } from "bun:test"
import { Deferred, Effect, Layer, ManagedRuntime } from "effect"
import { hashKey } from "../../../src/domain/keys/ApiKey.ts"
import { ApiKeyId, OrganizationId } from "../../../src/domain/Ids.ts"
import { everything } from "../../../src/domain/Page.ts"
import { ApiKeys } from "../../../src/storage/keys/ApiKeys.ts"
import { Chatbots } from "../../../src/storage/chatbots/Chatbots.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { othersWait, platform, storage } from "../../lib/Layers.ts"
import { as, makeOrganization, makeTenant, newApiKey, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const insert = Effect.fnUntraced(function* (...parameters: Parameters<typeof newApiKey>) {
  const key = yield* newApiKey(...parameters)
  return { hash: key.hash, apiKey: yield* (yield* ApiKeys).insert(key) }
})

const revoked = () => Effect.succeed({ isRevoked: true } as const)

describe("a key", () => {
  it("is found by its hash, with what a request needs, and recorded as used", function* () {
    const { organization, chatbot } = yield* makeTenant
    const keys = yield* ApiKeys
    const { hash, apiKey } = yield* insert(organization, {
      chatbot_id: chatbot,
      scopes: ["chat", "knowledge:read"],
    })
    expect(apiKey).toMatchObject({ chatbot_id: chatbot, last_used_at: null, revoked_at: null, expires_at: null })
    expect(yield* keys.findLive(hash)).toMatchObject({
      id: apiKey.id,
      organization_id: organization,
      chatbot_id: chatbot,
      scopes: ["chat", "knowledge:read"],
    })
    // Its use is written apart, soon after.
    const {
      items: [listed],
    } = yield* Effect.repeat(keys.list(organization, everything), {
      until: ({ items: [key] }) => key?.last_used_at !== null,
    })
    expect(listed).toEqual({ ...apiKey, last_used_at: expect.stringMatching(/\+00:00$/) })
    expect(yield* keys.findLive(hashKey("unknown"))).toBeUndefined()
    // So is each later one, once a minute.
    const sql = yield* SystemSql
    yield* sql`update api_keys set last_used_at = '2020-01-01' where id = ${apiKey.id}`
    yield* Effect.repeat(Effect.andThen(keys.findLive(hash), keys.list(organization, everything)), {
      until: ({ items: [key] }) => key?.last_used_at?.startsWith("2020-") === false,
    })
  })

  it("of another organization than the operator's never has the scope `operator`, whatever is stored", function* () {
    const { hash } = yield* insert(yield* makeOrganization, { scopes: ["operator", "chat", "admin"] })
    expect((yield* (yield* ApiKeys).findLive(hash))?.scopes).toEqual(["chat", "admin"])
  })

  it("is not found once it is expired or revoked, and keeps the time of its first revocation", function* () {
    const organization = yield* makeOrganization
    const keys = yield* ApiKeys
    const expired = yield* insert(organization, { expires_at: new Date("2020-01-01") })
    expect(yield* keys.findLive(expired.hash)).toBeUndefined()
    const live = yield* insert(organization, { expires_at: new Date("2999-01-01") })
    expect(yield* keys.findLive(live.hash)).toBeDefined()
    const { revoked_at } = yield* keys.modify(live.apiKey.id, organization, revoked)
    expect(revoked_at).not.toBeNull()
    expect(yield* keys.findLive(live.hash)).toBeUndefined()
    expect((yield* keys.modify(live.apiKey.id, undefined, revoked)).revoked_at).toBe(revoked_at)
  })

  it("of another organization can be neither listed nor revoked", function* () {
    const [mine, theirs] = [yield* makeOrganization, yield* makeOrganization]
    const keys = yield* ApiKeys
    const { apiKey, hash } = yield* insert(theirs)
    expect(yield* keys.list(mine, everything)).toEqual({ items: [], next: undefined })
    expect((yield* Effect.flip(keys.modify(apiKey.id, mine, revoked)))._tag).toBe("NotFound")
    expect(yield* keys.findLive(hash)).toBeDefined()
  })

  it("cannot be made for an unknown organization, or for a chatbot that is unknown or of another organization", function* () {
    const [mine, theirs] = [yield* makeTenant, yield* makeTenant]
    const foreign = insert(mine.organization, { chatbot_id: theirs.chatbot })
    expect((yield* Effect.flip(foreign))._tag).toBe("NotFound")
    expect((yield* Effect.flip(insert(OrganizationId.make(crypto.randomUUID()))))._tag).toBe("NotFound")
    expect((yield* (yield* ApiKeys).list(mine.organization, everything)).items).toEqual([])
  })

  it("cannot be made for a chatbot whose deletion has begun and is committed meanwhile", function* () {
    const { organization, chatbot } = yield* makeTenant
    const sql = yield* SystemSql
    const begun = yield* Deferred.make<void>()
    const deletion = Effect.gen(function* () {
      yield* sql`delete from chatbots where id = ${chatbot}`
      yield* Deferred.succeed(begun, undefined)
      // Postgres lets the key wait for this transaction, and the embedded database for the connection.
      yield* othersWait(sql)
    }).pipe(sql.withTransaction)
    const making = Effect.andThen(Deferred.await(begun), Effect.flip(insert(organization, { chatbot_id: chatbot })))
    const [failure] = yield* Effect.all([making, deletion], { concurrency: 2 })
    expect(failure._tag).toBe("NotFound")
  })

  it("that is bound to a chatbot is deleted with it", function* () {
    const { organization, chatbot } = yield* makeTenant
    const bound = yield* insert(organization, { chatbot_id: chatbot })
    const free = yield* insert(organization)
    yield* as(organization)((yield* Chatbots).remove(chatbot))
    const keys = yield* ApiKeys
    expect(yield* keys.findLive(bound.hash)).toBeUndefined()
    expect(yield* keys.findLive(free.hash)).toBeDefined()
  })

  it("is inserted once, however often it is ensured", function* () {
    const organization = yield* makeOrganization
    const keys = yield* ApiKeys
    const { budget: _, chatbot_id: __, expires_at: ___, ...key } = yield* newApiKey(organization)
    yield* Effect.all(
      Array.from({ length: 5 }, () => Effect.flatMap(newId, (id) => keys.ensure({ ...key, id: ApiKeyId.make(id) }))),
      { concurrency: "unbounded" },
    )
    expect((yield* keys.list(organization, everything)).items).toHaveLength(1)
  })
})
