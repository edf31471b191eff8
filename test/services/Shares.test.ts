import { describe, expect, test } from "bun:test"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { ApiKeyId, OrganizationId } from "../../src/domain/Ids.ts"
import { Shares } from "../../src/services/Shares.ts"
import { type Place, Share } from "../../src/system/Share.ts"
import { defaults } from "../lib/Defaults.ts"
import { asCaller } from "../lib/Tenants.ts"

const organization = OrganizationId.make(crypto.randomUUID())
const other = OrganizationId.make(crypto.randomUUID())
const newKey = () => ApiKeyId.make(crypto.randomUUID())

/** Shares of four chats, of which one key may have three and two may wait. */
const shares = Shares.layer({
  ...defaults.shares,
  organization: { ...defaults.shares.organization, chats: 4, searches: 4 },
  keyPart: 0.75,
  queue: 2,
})

/** Runs chats on behalf of an organization and a key, which go on until the gate opens. */
const chatting = Effect.gen(function* () {
  const { hold, within } = yield* Shares
  const gate = yield* Deferred.make<void>()
  let running = 0
  const chat = (owner: OrganizationId, apiKeyId: ApiKeyId) =>
    Effect.sync(() => running++).pipe(
      Effect.andThen(Deferred.await(gate)),
      Effect.ensuring(Effect.sync(() => running--)),
      within("chats"),
      asCaller(owner, { apiKeyId }),
    )
  const begin = (owner: OrganizationId, key: ApiKeyId, count: number) =>
    Effect.tap(
      Effect.forEach(Array.from({ length: count }), () => Effect.forkChild(chat(owner, key))),
      () => Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow),
    )
  return { begin, hold, open: Deferred.succeed(gate, undefined), running: () => running, within }
})

const run = <A, E>(test: Effect.Effect<A, E, Shares>) =>
  Effect.runPromise(Effect.scoped(Effect.provide(test, [shares, TestClock.layer()])))

const outcomeOf = <A, E extends { readonly _tag: string }>(fiber: Fiber.Fiber<A, E>) =>
  Effect.match(Fiber.join(fiber), { onSuccess: () => "done", onFailure: ({ _tag }) => _tag })

describe("a share", () => {
  test("runs as much of an organization's work as it allows, and the rest when that ends", () =>
    run(
      Effect.gen(function* () {
        const { begin, open, running } = yield* chatting
        const fibers = [...(yield* begin(organization, newKey(), 2)), ...(yield* begin(organization, newKey(), 4))]
        expect(running()).toBe(4)
        yield* open
        expect(yield* Effect.forEach(fibers, outcomeOf)).toEqual(Array.from({ length: 6 }, () => "done"))
      }),
    ))

  test("leaves room for the other keys of the organization, and does not limit other organizations or kinds", () =>
    run(
      Effect.gen(function* () {
        const { begin, open, running, within } = yield* chatting
        const first = yield* begin(organization, newKey(), 5)
        expect(running()).toBe(3)
        yield* begin(organization, newKey(), 1)
        expect(running()).toBe(4)
        yield* begin(other, newKey(), 3)
        expect(running()).toBe(7)
        expect(yield* asCaller(organization)(within("searches")(Effect.succeed("found")))).toBe("found")
        yield* open
        expect(yield* Effect.forEach(first, outcomeOf)).toEqual(Array.from({ length: 5 }, () => "done"))
      }),
    ))

  test("refuses work that has waited too long, and work for which too much waits already", () =>
    run(
      Effect.gen(function* () {
        const { begin, running } = yield* chatting
        yield* begin(organization, newKey(), 2)
        yield* begin(organization, newKey(), 2)
        const [first, second, tooMany] = yield* begin(organization, newKey(), 3)
        if (first === undefined || second === undefined || tooMany === undefined) throw new Error("three fibers")
        expect(yield* Effect.flip(Fiber.join(tooMany))).toMatchObject({
          _tag: "TooManyAtOnce",
          detail: "The organization has 4 chats under way, as many as its share of this server allows.",
          retry_after_seconds: 1,
        })
        expect(first.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(defaults.shares.wait)
        expect(yield* outcomeOf(first)).toBe("TooManyAtOnce")
        expect(yield* outcomeOf(second)).toBe("TooManyAtOnce")
        expect(running()).toBe(4)
      }),
    ))

  test("has the places again of work that was interrupted, while it ran or waited", () =>
    run(
      Effect.gen(function* () {
        const { begin, open, running } = yield* chatting
        const key = newKey()
        const [first, , , waiting] = yield* begin(organization, key, 4)
        if (first === undefined || waiting === undefined) throw new Error("four fibers")
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(first)
        expect(running()).toBe(2)
        yield* begin(organization, key, 1)
        expect(running()).toBe(3)
        yield* open
      }),
    ))

  test("holds a place until the scope closes", () =>
    run(
      Effect.gen(function* () {
        const { begin, hold, open, running } = yield* chatting
        const caller = asCaller(organization)
        yield* Effect.scoped(
          Effect.gen(function* () {
            for (let held = 0; held < 3; held++) yield* caller(hold("chats"))
            yield* begin(organization, newKey(), 2)
            expect(running()).toBe(1)
          }),
        )
        yield* Effect.yieldNow
        expect(running()).toBe(2)
        yield* open
      }),
    ))
})

test("whoever asks and leaves in whatever order, limits hold, nobody is kept waiting who fits, and nothing is remembered", () => {
  const organizations = [organization, other]
  const keys = [newKey(), newKey(), newKey()]
  const command = fc.record({ owner: fc.nat(1), key: fc.nat(2), leaves: fc.option(fc.nat()) })
  fc.assert(
    fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
      const share = new Share({ organization: 4, key: 3, queue: 3 })
      const places: Array<Place> = []
      for (const { owner, key, leaves } of commands) {
        if (leaves !== null && places.length > 0) {
          for (const place of places.splice(leaves % places.length, 1)) share.leave(place)
        } else {
          const place = share.ask(organizations[owner] ?? organization, keys[key] ?? "")
          if (place !== undefined) places.push(place)
        }
        for (const organization of organizations) {
          const own = places.filter((place) => place.organization === organization)
          const held = own.filter(({ isHeld }) => isHeld)
          const heldBy = (key: string) => held.filter((place) => place.key === key).length
          expect(held.length).toBeLessThanOrEqual(4)
          expect(own.length - held.length).toBeLessThanOrEqual(3)
          for (const key of keys) expect(heldBy(key)).toBeLessThanOrEqual(3)
          for (const { isHeld, key } of own) expect(isHeld || held.length === 4 || heldBy(key) === 3).toBeTrue()
        }
      }
      for (const place of places) share.leave(place)
      expect(share.size).toBe(0)
    }),
  )
})

test("a place that is given at the moment of the interruption is not lost", () =>
  run(
    Effect.gen(function* () {
      const { begin, open, running } = yield* chatting
      const key = newKey()
      const [first, , , waiting] = yield* begin(organization, key, 4)
      if (first === undefined || waiting === undefined) throw new Error("four fibers")
      yield* Effect.all([Fiber.interrupt(first), Fiber.interrupt(waiting)], { concurrency: "unbounded" })
      expect(Exit.isFailure(yield* Fiber.await(waiting))).toBeTrue()
      yield* begin(organization, key, 1)
      expect(running()).toBe(3)
      yield* open
    }),
  ))
