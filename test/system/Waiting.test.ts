import { describe, expect, test } from "bun:test"
import { Deferred, Duration, Effect, Exit, Fiber, Option, Scheduler, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { Gate } from "../../src/models/calls/Gate.ts"
import { Shares } from "../../src/admission/Shares.ts"
import { makeClients } from "../../src/storage/sql/TenantConnections.ts"
import { defaultLimits } from "../../src/models/calls/ProviderCalls.ts"
import { sharesWith } from "../lib/Defaults.ts"
import { makeFakePool, noRows } from "../lib/FakePool.ts"
import { asCaller } from "../lib/Tenants.ts"

/*
 * A fiber may have to let others run between any two of its operations. By default that happens once in two thousand of
 * them; here it happens every few.
 */

/** The numbers of operations after which fibers let others run. */
const OPERATIONS = [3, 4, 5, 7]
/** The numbers of turns that the others have before the work under test begins to wait, while it does and afterwards. */
const TURNS = Array.from({ length: 16 }, (_, turns) => turns)

const organization = OrganizationId.make("00000000-0000-4000-8000-000000000001")

type Work = Effect.Effect<unknown>
/** Makes a function that runs work of which only one goes on at a time, while the rest waits for it. */
type OneAtATime = Effect.Effect<(work: Work) => Effect.Effect<unknown, unknown>, never, Scope.Scope>

/** Statements in one connection, whose results are those of the work. */
const statements = (pipeline: number): OneAtATime =>
  Effect.gen(function* () {
    const running: Array<Work> = []
    const pool = makeFakePool((sql) =>
      Effect.as(sql.startsWith("work") ? (running[Number(sql.slice(5))] ?? Effect.void) : Effect.void, noRows),
    )
    const connections = { pool, pipeline, connections: 1 }
    const { tenant } = yield* makeClients({ tenant: connections, system: connections })
    return (work: Work) =>
      Effect.provideService(tenant.unsafe(`work ${running.push(work) - 1}`), CurrentOrganization, organization)
  }).pipe(Effect.provide(Reactivity.layer))

const makers: Record<string, OneAtATime> = {
  "work within the share of an organization": Effect.gen(function* () {
    const { within } = yield* Shares
    return (work: Work) => asCaller(organization)(within("chats")(work))
  }).pipe(Effect.provide(sharesWith({ chats: 1 }, { wait: Duration.minutes(1) }))),
  "a call of a provider with a limit of concurrent calls": Effect.sync(() => {
    const gate = new Gate("Provider", { ...defaultLimits, concurrency: 1, turnWait: Duration.minutes(1) })
    return (work: Work) => gate.limit(work)
  }),
  "a statement that waits for the connection of its organization": statements(1),
  "a statement that waits for the connection of another statement": statements(8),
}

const turns = (count: number) => Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

/** Fails when the effect waits for something that does not come. */
const soon = <A, E>(effect: Effect.Effect<A, E>, what: string) =>
  Effect.flatMap(Effect.timeoutOption(effect, "50 seconds"), (ended) =>
    Option.isSome(ended) ? Effect.succeed(ended.value) : Effect.die(new Error(`${what} waits for ever`)),
  )

const runEach = (
  make: OneAtATime,
  scenario: (
    begin: (work: Work) => Effect.Effect<Fiber.Fiber<unknown, unknown>, never, Scope.Scope>,
    turnsBefore: number,
  ) => Effect.Effect<void, never, Scope.Scope>,
) =>
  Effect.gen(function* () {
    for (const operations of OPERATIONS) {
      for (const turnsBefore of TURNS) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const limited = yield* make
            yield* scenario(
              (work) =>
                Effect.forkScoped(Effect.provideService(limited(work), Scheduler.MaxOpsBeforeYield, operations)),
              turnsBefore,
            )
          }),
        )
      }
    }
  })

describe.each(Object.entries(makers))("%s", (_, make) => {
  test("begins when the one before ends, at whatever moment that is", () =>
    Effect.runPromise(
      runEach(
        make,
        Effect.fnUntraced(function* (begin, turnsBefore) {
          const gate = yield* Deferred.make<void>()
          const hasBegun = yield* Deferred.make<void>()
          const first = yield* begin(Effect.andThen(Deferred.succeed(hasBegun, undefined), Deferred.await(gate)))
          yield* soon(Deferred.await(hasBegun), "The first")
          const second = yield* begin(Effect.void)
          yield* turns(turnsBefore)
          yield* Deferred.succeed(gate, undefined)
          for (const fiber of [first, second]) {
            expect(Exit.isSuccess(yield* soon(Fiber.await(fiber), "The second"))).toBeTrue()
          }
        }),
      ),
    ))

  test("leaves its place to the next one when it is interrupted, at whatever moment that is", () =>
    Effect.runPromise(
      runEach(
        make,
        Effect.fnUntraced(function* (begin, turnsBefore) {
          const fibers = [yield* begin(Effect.void), yield* begin(Effect.void), yield* begin(Effect.void)]
          yield* turns(turnsBefore)
          for (const fiber of fibers.slice(0, 2)) yield* soon(Fiber.interrupt(fiber), "An interrupted one")
          for (const fiber of [...fibers.slice(2), yield* begin(Effect.void)]) {
            expect(Exit.isSuccess(yield* soon(Fiber.await(fiber), "The next one"))).toBeTrue()
          }
        }),
      ),
    ))
})
