import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { Duration, Effect, Exit, Latch, Layer, ManagedRuntime, Scope } from "effect"
import type { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/Errors.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { type JobKind, makeWorker } from "../../src/jobs/Worker.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import type { DatabaseTraits } from "../../src/system/DatabaseTraits.ts"
import { databaseTraits } from "../lib/Defaults.ts"
import { eventually, platform, quiet, storage } from "../lib/Layers.ts"
import { createTable, deliverParcels, type Parcel, Parcels } from "../lib/Parcels.ts"
import { as, makeOrganization, newId } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.provideMerge(Parcels.layer, Layer.mergeAll(storage, platform, quiet)))
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
beforeAll(() => run(createTable))
beforeEach(() => run(SystemSql.use((sql) => Effect.andThen(sql`delete from parcels`, sql`delete from deliveries`))))
afterAll(() => runtime.dispose())

const post = Effect.fnUntraced(function* (organization: OrganizationId, address = "somewhere") {
  const id = yield* newId
  yield* SystemSql.use(
    (sql) => sql`insert into parcels (id, organization_id, address) values (${id}, ${organization}, ${address})`,
  )
  return id
})
const postOne = (address?: string) => Effect.flatMap(makeOrganization, (organization) => post(organization, address))

/** The row of a parcel in the queue; undefined once it is deleted. */
const waiting = (id: string) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<
        Pick<Parcel, "attempts" | "given_up" | "lapses"> & { isHeld: boolean; isDue: boolean; report: string | null }
      >`
        select attempts, lapses, given_up, report, lease_id is not null as "isHeld", run_at <= now() as "isDue"
        from parcels where id = ${id}`,
      ([row]) => row,
    ),
  )
const gone = (id: string) => eventually(waiting(id), (row) => row === undefined)
const deliveries = SystemSql.use((sql) =>
  Effect.map(sql<{ id: string; worker: string }>`select id, worker from deliveries`, (rows) =>
    rows.map(({ id, worker }) => [id, worker]),
  ),
)
const claim = (duration = Duration.zero) =>
  Parcels.use((parcels) => parcels.claim({ id: crypto.randomUUID(), duration }))
/** Gives the lease of a parcel to another worker. */
const steal = (id: string) =>
  SystemSql.use((sql) => sql`update parcels set lease_id = ${crypto.randomUUID()} where id = ${id}`)
const arrive = () => Effect.void

it("organizations take turns, however many jobs each has queued, and whenever", function* () {
  const [many, few] = [yield* makeOrganization, yield* makeOrganization]
  yield* Effect.replicateEffect(post(many), 12)
  const served: Array<string> = []
  const late = yield* Latch.make(false)
  yield* deliverParcels({
    travel: ({ organization_id }) =>
      Effect.suspend(() => {
        served.push(organization_id === few ? "few" : "many")
        return served.length === 6 ? late.await : Effect.void
      }),
  })
  yield* eventually(
    Effect.sync(() => served.length),
    (length) => length === 6,
  )
  yield* Effect.replicateEffect(post(few), 3)
  yield* late.open
  yield* eventually(deliveries, ({ length }) => length === 15)
  // An organization that comes late is next, and takes its regular turns from then on.
  expect(served.slice(6, 11)).toEqual(["few", "many", "few", "many", "few"])
})

describe("a worker that vanishes", () => {
  it("is replaced by another once its lease has expired, and the lapse is counted", function* () {
    const id = yield* postOne()
    yield* claim()
    const lapses: Array<number> = []
    yield* deliverParcels({ travel: (parcel) => Effect.sync(() => void lapses.push(parcel.lapses)) })
    yield* gone(id)
    expect(lapses).toEqual([1])
  })

  it("keeps its job until the lease expires, unless it was alone with the database", function* () {
    const held = yield* postOne()
    yield* claim(Duration.hours(1))
    const free = yield* postOne()
    yield* Effect.scoped(Effect.andThen(deliverParcels({ travel: arrive }), gone(free)))
    expect(yield* waiting(held)).toMatchObject({ isHeld: true })
    yield* deliverParcels({ travel: arrive, isAlone: true })
    yield* gone(held)
  })

  it("again and again makes the job be given up, and tried anew much later", function* () {
    const id = yield* postOne()
    yield* Effect.replicateEffect(claim(), 2)
    yield* deliverParcels({ travel: () => Effect.die("nobody should travel") })
    const row = yield* eventually(waiting(id), (found) => found?.report !== null)
    expect(row).toEqual({
      report: "2 couriers vanished",
      attempts: 0,
      lapses: 0,
      given_up: 1,
      isHeld: false,
      isDue: false,
    })
  })
})

describe("a lease", () => {
  it("that is lost interrupts the work, however long that would last, and prevents its writes", function* () {
    const [reached, stopped] = [yield* Latch.make(false), yield* Latch.make(false)]
    const id = yield* postOne()
    yield* deliverParcels({
      lease: Duration.millis(300),
      travel: () =>
        Effect.andThen(
          reached.open,
          Effect.onInterrupt(Effect.never, () => stopped.open),
        ),
    })
    yield* reached.await
    yield* steal(id)
    yield* stopped.await
    expect(yield* deliveries).toEqual([])
  })

  it("that is lost at the last moment prevents the write of the result, which is left to the next worker", function* () {
    const id = yield* postOne()
    const sql = yield* SystemSql
    const abandoned = yield* Latch.make(false)
    const late = deliverParcels({
      worker: "late",
      travel: () => Effect.orDie(Effect.asVoid(Effect.provideService(steal(id), SystemSql, sql))),
      abandon: () => Effect.asVoid(abandoned.open),
    })
    yield* Effect.scoped(Effect.andThen(late, abandoned.await))
    expect(yield* waiting(id)).toMatchObject({ isHeld: true })
    yield* sql`update parcels set run_at = now()`
    yield* deliverParcels({ worker: "next", travel: arrive })
    yield* gone(id)
    expect(yield* deliveries).toEqual([[id, "next"]])
  })

  it("cannot be renewed, released or used for writes by another organization", function* () {
    const [owner, stranger] = [yield* makeOrganization, yield* makeOrganization]
    const id = yield* post(owner)
    const parcels = yield* Parcels
    const parcel = yield* Effect.flatMap(claim(Duration.hours(1)), Effect.fromNullishOr)
    const forged = parcels
      .release(parcel, Duration.zero, true)
      .pipe(
        Effect.andThen(parcels.giveUp(parcel, "forged")),
        Effect.andThen(Effect.all([parcels.renew(parcel, Duration.zero), parcels.deliver(parcel, "forged")])),
      )
    expect(yield* as(stranger)(forged)).toEqual([false, false])
    expect(yield* waiting(id)).toMatchObject({ isHeld: true, isDue: false, attempts: 0, report: null })
  })
})

describe("a job that fails", () => {
  it("is tried again, and its attempts are counted", function* () {
    const id = yield* postOne()
    const attempts: Array<number> = []
    yield* deliverParcels({
      travel: (parcel) => (attempts.push(parcel.attempts) < 3 ? Effect.fail("the road is closed") : Effect.void),
    })
    yield* gone(id)
    expect(attempts).toEqual([0, 1, 2])
    expect(yield* deliveries).toEqual([[id, "one"]])
  })

  test.each(["the road is closed", "the courier failed"])(
    "as often as allowed is given up, tried anew once, and then deleted: %s",
    (why) =>
      run(
        Effect.gen(function* () {
          const id = yield* postOne()
          let tries = 0
          const fail = why === "the road is closed" ? Effect.fail(why) : Effect.die(new Error("a bug"))
          yield* deliverParcels({
            attempts: 2,
            travel: () =>
              Effect.andThen(
                Effect.sync(() => tries++),
                fail,
              ),
          })
          const row = yield* eventually(waiting(id), (found) => found?.given_up === 1)
          expect(row).toMatchObject({ report: why, attempts: 0, isHeld: false, isDue: false })
          yield* SystemSql.use((sql) => sql`update parcels set run_at = now()`)
          yield* gone(id)
          expect(tries).toBe(4)
          expect(yield* deliveries).toEqual([])
        }),
      ),
  )

  it("whose end fails does not end the worker, which goes on with others", function* () {
    const ids = [yield* postOne(), yield* postOne()]
    yield* deliverParcels({ travel: arrive, ended: () => Effect.die(new Error("a bug")) })
    for (const id of ids) yield* gone(id)
  })

  it("with a hopeless error is not tried again", function* () {
    const id = yield* postOne()
    let tries = 0
    yield* deliverParcels({
      travel: () =>
        Effect.andThen(
          Effect.sync(() => tries++),
          Effect.fail("nobody lives there"),
        ),
    })
    yield* gone(id)
    expect(tries).toBe(1)
  })

  it("because something is unavailable waits as long as the error says, and the attempt does not count", function* () {
    const id = yield* postOne()
    yield* deliverParcels({
      attempts: 1,
      travel: () => Effect.fail(new Unavailable({ detail: "A flood.", retry_after_seconds: 60 })),
    })
    const row = yield* eventually(waiting(id), (found) => found?.isDue === false && !found.isHeld)
    expect(row).toMatchObject({ attempts: 0, lapses: 0, given_up: 0, report: null })
  })
})

describe("a process that stops", () => {
  it("releases its jobs, so that another continues at once and no attempt is counted", function* () {
    const ids = [yield* postOne(), yield* postOne()]
    let travelling = 0
    const scope = yield* Scope.make()
    const travel = () =>
      Effect.andThen(
        Effect.sync(() => travelling++),
        Effect.never,
      )
    yield* Scope.provide(deliverParcels({ concurrency: 2, travel }), scope)
    yield* eventually(
      Effect.sync(() => travelling),
      (count) => count === 2,
    )
    yield* Scope.close(scope, Exit.void)
    for (const id of ids) {
      expect(yield* waiting(id)).toMatchObject({ isHeld: false, isDue: true, attempts: 0, lapses: 0 })
    }
    yield* deliverParcels({ travel: arrive })
    yield* Effect.forEach(ids, gone)
  })
})

it("a nudged worker looks for jobs at once", function* () {
  const { nudge } = yield* deliverParcels({ untilDue: (bell) => bell.await, concurrency: 3, travel: arrive })
  const delivered = Effect.flatMap(postOne(), (id) => Effect.andThen(nudge, gone(id)))
  yield* Effect.replicateEffect(delivered, 3)
})

/** Makes a worker over a queue in memory, on the TestClock. */
const onTestClock = (test: Effect.Effect<void, never, DatabaseTraits | SecureRandom.SecureRandom | Scope.Scope>) =>
  test.pipe(
    Effect.scoped,
    Effect.provide([TestClock.layer(), platform, quiet, databaseTraits({ isAlone: false })]),
    Effect.runPromise,
  )

const idle: JobKind<Parcel, void, never, never> = {
  name: "Idling",
  labels: () => ({}),
  queue: { claim: () => Effect.undefined, release: () => Effect.void, releaseAll: Effect.void },
  concurrency: 8,
  lease: Duration.seconds(30),
  untilDue: (bell) => Effect.timeoutOption(bell.await, "1 second"),
  attempt: () => ({ work: Effect.never, renew: Effect.succeed(true), finish: () => Effect.succeed(true) }),
  judge: () => ({ is: "gone" }),
  backOff: () => Duration.zero,
}

/** Advances the TestClock, with everything that is due in between. */
const pass = (seconds: number) => Effect.replicateEffect(TestClock.adjust("50 millis"), seconds * 20, { discard: true })

test("an idle process polls once for all its fibers, and once more when it is nudged", () =>
  onTestClock(
    Effect.gen(function* () {
      let looks = 0
      const queue = { ...idle.queue, claim: () => Effect.sync((): Parcel | undefined => void looks++) }
      const { nudge, run } = yield* makeWorker({ ...idle, queue })
      yield* Effect.forkScoped(run)
      yield* pass(10)
      expect(looks).toBe(11)
      yield* nudge
      yield* pass(0.5)
      expect(looks).toBe(12)
      yield* pass(10)
      expect(looks).toBe(22)
    }),
  ))

test("a lease is renewed three times before it expires, and earlier, at a limited rate, to show progress", () =>
  onTestClock(
    Effect.gen(function* () {
      let [claims, renewals] = [0, 0]
      let show = () => {}
      const organization_id = OrganizationId.make(crypto.randomUUID())
      const parcel = { id: "1", address: "", lease_id: "1", organization_id, attempts: 0, lapses: 0, given_up: 0 }
      const { run } = yield* makeWorker({
        ...idle,
        queue: { ...idle.queue, claim: () => Effect.sync(() => (++claims === 1 ? parcel : undefined)) },
        attempt: (_, showSoon) => {
          show = showSoon
          return {
            work: Effect.never,
            renew: Effect.sync(() => renewals++ >= 0),
            finish: () => Effect.succeed(true),
          }
        },
      })
      yield* Effect.forkScoped(run)
      yield* pass(9)
      expect(renewals).toBe(0)
      yield* pass(22)
      expect(renewals).toBe(3)
      for (let shown = 0; shown < 20; shown++) show()
      yield* pass(0.5)
      expect(renewals).toBe(5)
      yield* pass(9)
      expect(renewals).toBe(5)
    }),
  ))
