import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { hashKey } from "../../src/domain/ApiKey.ts"
import { ApiKeyId, type ChatbotId, OrganizationId } from "../../src/domain/Ids.ts"
import { everything } from "../../src/domain/Page.ts"
import { ApiKeys } from "../../src/storage/ApiKeys.ts"
import { Chatbots } from "../../src/storage/Chatbots.ts"
import { platform, storage } from "../lib/Layers.ts"
import { as, makeOrganization, makeTenant, newId } from "../lib/Tenants.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
afterAll(() => runtime.dispose())

const newKey = (organization: OrganizationId, more: { chatbot_id?: ChatbotId; expires_at?: Date } = {}) =>
  Effect.map(newId, (id) => ({
    id: ApiKeyId.make(id),
    organization_id: organization,
    chatbot_id: more.chatbot_id ?? null,
    name: "Key",
    hash: hashKey(id),
    prefix: "prl_abcd",
    last_four: "wxyz",
    scopes: ["chat", "knowledge:read"] as const,
    expires_at: more.expires_at ?? null,
  }))

const insert = Effect.fnUntraced(function* (...parameters: Parameters<typeof newKey>) {
  const key = yield* newKey(...parameters)
  return { hash: key.hash, apiKey: yield* (yield* ApiKeys).insert(key) }
})

describe("a key", () => {
  test("is found by its hash, with what a request needs, and recorded as used", () =>
    run(
      Effect.gen(function* () {
        const { organization, chatbot } = yield* makeTenant
        const keys = yield* ApiKeys
        const { hash, apiKey } = yield* insert(organization, { chatbot_id: chatbot })
        expect(apiKey).toMatchObject({ chatbot_id: chatbot, last_used_at: null, revoked_at: null, expires_at: null })
        expect(yield* keys.findLive(hash)).toMatchObject({
          id: apiKey.id,
          organization_id: organization,
          chatbot_id: chatbot,
          scopes: ["chat", "knowledge:read"],
          is_operator: false,
        })
        const {
          items: [listed],
        } = yield* keys.list(organization, everything)
        expect(listed).toEqual({ ...apiKey, last_used_at: expect.stringMatching(/\+00:00$/) })
        expect(yield* keys.findLive(hashKey("unknown"))).toBeUndefined()
      }),
    ))

  test("is not found once it is expired or revoked, and keeps the time of its first revocation", () =>
    run(
      Effect.gen(function* () {
        const organization = yield* makeOrganization
        const keys = yield* ApiKeys
        const expired = yield* insert(organization, { expires_at: new Date("2020-01-01") })
        expect(yield* keys.findLive(expired.hash)).toBeUndefined()
        const live = yield* insert(organization, { expires_at: new Date("2999-01-01") })
        expect(yield* keys.findLive(live.hash)).toBeDefined()
        const { revoked_at } = yield* keys.revoke(live.apiKey.id, organization)
        expect(revoked_at).not.toBeNull()
        expect(yield* keys.findLive(live.hash)).toBeUndefined()
        expect((yield* keys.revoke(live.apiKey.id, undefined)).revoked_at).toBe(revoked_at)
      }),
    ))

  test("of another organization can be neither listed nor revoked", () =>
    run(
      Effect.gen(function* () {
        const [mine, theirs] = [yield* makeOrganization, yield* makeOrganization]
        const keys = yield* ApiKeys
        const { apiKey, hash } = yield* insert(theirs)
        expect(yield* keys.list(mine, everything)).toEqual({ items: [], next: undefined })
        expect((yield* Effect.flip(keys.revoke(apiKey.id, mine)))._tag).toBe("NotFound")
        expect(yield* keys.findLive(hash)).toBeDefined()
      }),
    ))

  test("cannot be made for an unknown organization, or for a chatbot that is unknown or of another organization", () =>
    run(
      Effect.gen(function* () {
        const [mine, theirs] = [yield* makeTenant, yield* makeTenant]
        const foreign = insert(mine.organization, { chatbot_id: theirs.chatbot })
        expect((yield* Effect.flip(foreign))._tag).toBe("NotFound")
        expect((yield* Effect.flip(insert(OrganizationId.make(crypto.randomUUID()))))._tag).toBe("NotFound")
        expect((yield* (yield* ApiKeys).list(mine.organization, everything)).items).toEqual([])
      }),
    ))

  test("that is bound to a chatbot is deleted with it", () =>
    run(
      Effect.gen(function* () {
        const { organization, chatbot } = yield* makeTenant
        const bound = yield* insert(organization, { chatbot_id: chatbot })
        const free = yield* insert(organization)
        yield* as(organization)((yield* Chatbots).remove(chatbot))
        const keys = yield* ApiKeys
        expect(yield* keys.findLive(bound.hash)).toBeUndefined()
        expect(yield* keys.findLive(free.hash)).toBeDefined()
      }),
    ))

  test("is inserted once, however often it is ensured", () =>
    run(
      Effect.gen(function* () {
        const organization = yield* makeOrganization
        const keys = yield* ApiKeys
        const { chatbot_id: _, expires_at: __, ...key } = yield* newKey(organization)
        yield* Effect.all(
          Array.from({ length: 5 }, () =>
            Effect.flatMap(newId, (id) => keys.ensure({ ...key, id: ApiKeyId.make(id) })),
          ),
          { concurrency: "unbounded" },
        )
        expect((yield* keys.list(organization, everything)).items).toHaveLength(1)
      }),
    ))
})
