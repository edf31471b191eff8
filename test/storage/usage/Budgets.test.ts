import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Context, Duration, Effect, Exit, Layer, Scope } from "effect"
import { ApiKeyId, MessageId, type OrganizationId, SessionId } from "../../../src/domain/Ids.ts"
import { Budgets, type Reservation } from "../../../src/storage/usage/Budgets.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { replyOf } from "../../lib/FilledTenant.ts"
import { platform, repositories } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { fresh, layerOf } from "../../lib/TestDatabase.ts"

/*
 * Budgets under the load of several servers, each with connections of its own. The embedded database has room for one.
 */

const SERVERS = 6
const ROUNDS = 10
const EACH = 10

const servicesOver = (database: Effect.Success<typeof fresh>) =>
  Layer.build(Layer.merge(repositories.pipe(Layer.provideMerge(layerOf(database))), platform))
type Built = Effect.Success<ReturnType<typeof servicesOver>>
type Services = Built extends Context.Context<infer S> ? S : never

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

let servers: ReadonlyArray<Built>
beforeAll(async () => {
  const made = Effect.gen(function* () {
    const database = yield* fresh
    const count = database.kind === "postgres" ? SERVERS : 1
    // One after the other, because each of them migrates the database.
    return yield* Effect.forEach(Array.from({ length: count }), () => servicesOver(database))
  })
  servers = await Effect.runPromise(Scope.provide(made, scope))
})

const none = Number.POSITIVE_INFINITY

/** Runs an effect `EACH` times on every server, all at the same time. */
const everywhere = <A, E>(effect: Effect.Effect<A, E, Services>) =>
  Effect.forEach(
    servers.flatMap((server) => Array.from({ length: EACH }, () => server)),
    (server) => Effect.provide(effect, server),
    { concurrency: "unbounded" },
  )
const anywhere = <A, E>(effect: Effect.Effect<A, E, Services>) =>
  Effect.suspend(() => (servers[0] === undefined ? Effect.die("no server") : Effect.provide(effect, servers[0])))

const reserving = Effect.fnUntraced(function* (
  organization: OrganizationId,
  limits: Reservation["organization"],
  tokens = 1,
) {
  const budgets = yield* Budgets
  const id = yield* newId
  const apiKeyId = ApiKeyId.make(id)
  const key = { tokensPerDay: none, concurrentChats: none }
  const reservation = { id, apiKeyId, tokens, lease: Duration.minutes(1), organization: limits, key }
  return { id, reservation, refusal: yield* as(organization)(budgets.reserve(reservation)) }
})

test("servers together admit exactly as many concurrent chats as the limit allows", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { organization } = yield* anywhere(makeTenant)
      for (let round = 0; round < ROUNDS; round++) {
        const asked = yield* everywhere(reserving(organization, { tokensPerDay: none, concurrentChats: 7 }))
        const admitted = asked.filter(({ refusal }) => refusal === undefined)
        expect(admitted.length).toBe(7)
        expect(asked.find(({ refusal }) => refusal !== undefined)?.refusal).toMatchObject({
          refusal: "concurrent_chats",
          whose: "organization",
        })
        yield* Effect.forEach(admitted, ({ reservation }) =>
          anywhere(Budgets.use((budgets) => as(organization)(budgets.release(reservation)))),
        )
      }
    }),
  ))

test("servers together never reserve more tokens than are left, while replies are counted and folded", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { organization, chatbot } = yield* anywhere(makeTenant)
      const limits = { tokensPerDay: 100, concurrentChats: none }
      /** A chat that uses exactly the tokens that it reserved. */
      const chat = Effect.gen(function* () {
        const { id, refusal, reservation } = yield* reserving(organization, limits, 3)
        if (refusal !== undefined) return 0
        const tokens = { input: 3, output: 0, cacheRead: 0, cacheWrite: 0 }
        const session = SessionId.make(yield* newId)
        const reply = (yield* Conversations).reply(session, replyOf(MessageId.make(yield* newId)), {
          apiKeyId: ApiKeyId.make(id),
          chatbotId: chatbot,
          costs: [{ model: "m", provider: "p", tokens }],
        })
        yield* as(organization)(reply)
        yield* as(organization)((yield* Budgets).release(reservation))
        return 3
      })
      let taken = 0
      for (let round = 0; round < ROUNDS; round++) {
        taken += (yield* everywhere(chat)).reduce<number>((sum, tokens) => sum + tokens, 0)
      }
      // A last chat, alone, may use the rest of the tokens and more.
      expect(taken).toBe(102)
    }),
  ))
