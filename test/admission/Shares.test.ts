import { describe, expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeyId, OrganizationId } from "../../src/domain/Ids.ts"
import { Shares } from "../../src/admission/Shares.ts"
import { defaults, sharesWith } from "../lib/Defaults.ts"
import { asCaller } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const organization = OrganizationId.make(crypto.randomUUID())
const other = OrganizationId.make(crypto.randomUUID())
const newKey = () => ApiKeyId.make(crypto.randomUUID())

/** Shares of four chats, for which two others may wait. */
const shares = sharesWith({ chats: 4, searches: 4 }, { queue: 2 })

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
      // Turns of the event loop, which work of other organizations in this process may take some of.
      () => Effect.promise(() => turnsOfLoop(TURNS)),
    )
  return { begin, hold, open: Deferred.succeed(gate, undefined), running: () => running, within }
})

const run = <A, E>(test: Effect.Effect<A, E, Shares>) =>
  Effect.runPromise(Effect.scoped(Effect.provide(test, [shares, TestClock.layer()])))
const it = effectTests(run)

const TURNS = 100
const turnsOfLoop = async (left: number): Promise<void> => {
  for (; left > 0; left--) await new Promise(setImmediate)
}

const outcomeOf = <A, E extends { readonly _tag: string }>(fiber: Fiber.Fiber<A, E>) =>
  Effect.match(Fiber.join(fiber), { onSuccess: () => "done", onFailure: ({ _tag }) => _tag })

describe("a share", () => {
  it("runs as much of an organization's work as it allows, and the rest when that ends", function* () {
    const { begin, open, running } = yield* chatting
    const fibers = [...(yield* begin(organization, newKey(), 2)), ...(yield* begin(organization, newKey(), 4))]
    expect(running()).toBe(4)
    yield* open
    expect(yield* Effect.forEach(fibers, outcomeOf)).toEqual(Array.from({ length: 6 }, () => "done"))
  })

  it("is that of all keys of an organization together, and does not limit other organizations or kinds", function* () {
    const { begin, open, running, within } = yield* chatting
    const first = [...(yield* begin(organization, newKey(), 5)), ...(yield* begin(organization, newKey(), 1))]
    expect(running()).toBe(4)
    yield* begin(other, newKey(), 3)
    expect(running()).toBe(7)
    expect(yield* asCaller(organization)(within("searches")(Effect.succeed("found")))).toBe("found")
    yield* open
    expect(yield* Effect.forEach(first, outcomeOf)).toEqual(Array.from({ length: 6 }, () => "done"))
  })

  it("refuses work that has waited too long, and work for which too much waits already", function* () {
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
  })

  it("has the places again of work that was interrupted, while it ran or waited", function* () {
    const { begin, open, running } = yield* chatting
    const key = newKey()
    const [first, , , , waiting] = yield* begin(organization, key, 5)
    if (first === undefined || waiting === undefined) throw new Error("five fibers")
    yield* Fiber.interrupt(waiting)
    yield* Fiber.interrupt(first)
    expect(running()).toBe(3)
    yield* begin(organization, key, 1)
    expect(running()).toBe(4)
    yield* open
  })

  it("holds a place until the scope closes", function* () {
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
  })
})

it("a place that is given at the moment of the interruption is not lost", function* () {
  const { begin, open, running } = yield* chatting
  const key = newKey()
  const [first, , , , waiting] = yield* begin(organization, key, 5)
  if (first === undefined || waiting === undefined) throw new Error("five fibers")
  yield* Effect.all([Fiber.interrupt(first), Fiber.interrupt(waiting)], { concurrency: "unbounded" })
  expect(Exit.isFailure(yield* Fiber.await(waiting))).toBeTrue()
  yield* begin(organization, key, 1)
  expect(running()).toBe(4)
  yield* open
})
