import { expect, setDefaultTimeout, test } from "bun:test"
import { Context, Duration, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { Budgets } from "../../../src/storage/usage/Budgets.ts"
import { Inspection } from "../../../src/storage/inspection/Inspection.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Servers } from "../../../src/storage/servers/Servers.ts"
import { ApiKeyId } from "../../../src/domain/Ids.ts"
import { findingsOf } from "../../../src/services/doctor/Database.ts"
import { platform, repositories } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { fresh, layerOf } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"

setDefaultTimeout(testTimeout)

const none = Number.POSITIVE_INFINITY

test("servers see each other, and what a dead one has reserved is free within seconds", () =>
  Effect.gen(function* () {
    const database = yield* fresh
    const start = Layer.build(Layer.merge(repositories.pipe(Layer.provideMerge(layerOf(database))), platform))
    const one = yield* start
    const { id } = Context.get(one, Servers)
    // One process uses the embedded database at a time, and sees nobody else.
    if (database.kind === "embedded") return expect(id).toBeUndefined()
    const other = yield* Scope.make()
    const dying = yield* Scope.provide(start, other)
    const { servers: running } = Context.get(one, Inspection)
    expect((yield* running).length).toBe(2)

    // A server that died before: its row is there, and nobody holds its lock.
    const dead = "dddddddd-dddd-4ddd-8ddd-dddddddddddd"
    const sql = Context.get(one, SystemSql)
    yield* sql`insert into servers (id, number, version, host, pid, connections) values (${dead}, 999999, '0', 'h', 1, 5)`
    const { organization } = yield* Effect.provide(makeTenant, one)
    const reserve = (reservation: string) =>
      Effect.gen(function* () {
        const key = ApiKeyId.make(yield* newId)
        const limits = { tokensPerDay: none, concurrentChats: 1 }
        const open = { tokensPerDay: none, concurrentChats: none }
        const request = { id: reservation, apiKeyId: key, tokens: 1, lease: Duration.hours(1) }
        return yield* as(organization)(
          Context.get(one, Budgets).reserve({ ...request, organization: limits, key: open }),
        )
      }).pipe(Effect.provide(one))
    expect(yield* reserve(`${dead.slice(0, 18)}-8000-000000000001`)).toBeUndefined()
    // That of a server which lives is in the way for as long as it lasts.
    expect((yield* reserve(yield* Effect.provide(newId, one)))?.refusal).toBe("concurrent_chats")
    yield* Effect.repeat(sql`select from servers where id = ${dead}`, {
      until: (rows) => rows.length === 0,
      schedule: Schedule.spaced("100 millis"),
    })
    const living = Context.get(dying, Servers).idOf(yield* Effect.provide(newId, one))
    expect(yield* reserve(living)).toBeUndefined()

    expect((yield* running).length).toBe(2)
    yield* Scope.close(other, Exit.void)
    expect((yield* running).length).toBe(1)
  }).pipe(Effect.scoped, Effect.runPromise))

test("the doctor adds up what all servers may open, and names two versions", () => {
  const server = { version: "1.0.0", host: "a", connections: 17 }
  const limits = { connectionsMax: 30, open: 12 }
  expect(findingsOf(limits, [server]).map(({ state }) => state)).toEqual(["ok", "ok"])
  const found = findingsOf(limits, [server, { ...server, host: "b", version: "1.1.0" }])
  expect(found).toMatchObject([
    { state: "note", text: "2 servers on 2 machines, of versions 1.0.0 and 1.1.0" },
    { state: "wrong", text: expect.stringContaining("open 34 at most, and the database gives 30") },
  ])
})
