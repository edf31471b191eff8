import { expect, test } from "bun:test"
import { Effect } from "effect"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { inTurns } from "../../src/system/InTurns.ts"
import { makeLoopTurns, turn } from "../../src/system/LoopTurns.ts"

const newOrganization = () => OrganizationId.make(crypto.randomUUID())

/** Runs pieces of work of an organization one after the other, each of which waits for the event loop like I/O. */
const work = (organization: OrganizationId, pieces: number, ran: Array<OrganizationId>) =>
  Effect.gen(function* () {
    for (let piece = 0; piece < pieces; piece++) {
      yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      yield* turn
      ran.push(organization)
    }
  }).pipe(Effect.provideService(CurrentOrganization, organization))

test("between two pieces of work of an organization, another one with a hundred requests runs few", async () => {
  const [busy, other] = [newOrganization(), newOrganization()]
  const ran: Array<OrganizationId> = []
  const hundred = Array.from({ length: 100 }, () => work(busy, 50, ran))
  await Effect.runPromise(Effect.all([...hundred, work(other, 30, ran)], { concurrency: "unbounded", discard: true }))
  expect(ran).toHaveLength(100 * 50 + 30)
  const places = ran.flatMap((organization, index) => (organization === other ? [index] : []))
  // Each turn of the loop runs one piece that waits and at most one that has just come, and I/O takes a turn or two.
  for (const [number, place] of places.entries()) expect(place - (places[number - 1] ?? place)).toBeLessThanOrEqual(8)
})

test("lists that a hundred requests of an organization make delay another one by few pieces of them", async () => {
  const [busy, other] = [newOrganization(), newOrganization()]
  const ran: Array<OrganizationId> = []
  const items = Array.from({ length: 40 }, (_, index) => index)
  const making = (organization: OrganizationId) =>
    Effect.provideService(
      inTurns(items, () => ran.push(organization)),
      CurrentOrganization,
      organization,
    )
  const works = [...Array.from({ length: 100 }, () => making(busy)), making(other)]
  await Effect.runPromise(Effect.all(works, { concurrency: "unbounded", discard: true }))
  expect(ran).toHaveLength(101 * items.length)
  const last = ran.lastIndexOf(other)
  expect(ran.slice(0, last).filter((organization) => organization === busy).length).toBeLessThan(10 * items.length)
})

test("the work of an organization that has been alone for a second never waits", () => {
  let now = 1
  const turnOf = makeLoopTurns(() => now)
  const [alone, before] = [newOrganization(), newOrganization()]
  const waits = () => [turnOf(alone), turnOf(alone)].map((wait) => wait !== undefined)
  turnOf(before)
  expect(waits()).toEqual([false, true])
  now += 999
  expect(waits()).toEqual([true, true])
  now += 1
  expect(Array.from({ length: 100 }, waits).flat()).not.toContain(true)
})

test("work that is interrupted while it waits keeps nobody from a turn", async () => {
  const [one, other] = [newOrganization(), newOrganization()]
  const ran: Array<OrganizationId> = []
  await Effect.runPromise(
    Effect.gen(function* () {
      const works = Array.from({ length: 20 }, () => work(one, 20, ran))
      const all = Effect.all([...works, work(other, 1_000, ran)], { concurrency: "unbounded" })
      yield* Effect.timeoutOption(all, "5 millis")
      ran.length = 0
      yield* work(one, 3, ran)
    }),
  )
  expect(ran).toEqual([one, one, one])
})
