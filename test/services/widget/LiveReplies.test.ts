import { describe, expect } from "bun:test"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ProviderFailed } from "../../../src/domain/Errors.ts"
import { MessageId, OrganizationId, SessionId } from "../../../src/domain/Ids.ts"
import { LiveReplies, LiveReplyBounds, type MakeReply } from "../../../src/services/widget/LiveReplies.ts"
import { asCaller } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const bounds = { keptFor: Duration.seconds(30), memory: 1_000_000 }

const organization = OrganizationId.make(crypto.randomUUID())
const newReply = () => ({ id: MessageId.make(crypto.randomUUID()), visitor: "visitor" })
const text = (length: number) => ({ type: "text" as const, text: "x".repeat(length) })
const finished = { type: "finish", finish_reason: "stop" } as const

/** Runs a test with replies within these bounds, on the clock of the test. */
const run = <A, E>(effect: Effect.Effect<A, E, LiveReplies>, more: Partial<typeof bounds> = {}) =>
  Effect.runPromise(
    // The replies' own background work runs on the clock of the test, too.
    Effect.provide(
      Effect.scoped(effect),
      Layer.provideMerge(
        LiveReplies.layer.pipe(Layer.provide(Layer.succeed(LiveReplyBounds, { ...bounds, ...more }))),
        TestClock.layer(),
      ),
    ),
  )
const it = effectTests(run)

const start = (owner: ReturnType<typeof newReply>, make: MakeReply, of = organization) =>
  LiveReplies.use((replies) => asCaller(of)(replies.start(owner, make)))

/** Makes a whole reply with a text of this length, and waits for its end. */
const makeReply = (length: number, of = organization) =>
  Effect.gen(function* () {
    const owner = newReply()
    const { reply } = yield* start(
      owner,
      ({ emit }) =>
        Effect.as(
          Effect.sync(() => emit(text(length))),
          finished,
        ),
      of,
    )
    if (reply.fiber !== undefined) yield* Fiber.await(reply.fiber)
    return owner
  })

const kept = (owners: ReadonlyArray<ReturnType<typeof newReply>>) =>
  LiveReplies.useSync((replies) => owners.map((owner) => replies.find(owner) !== undefined))

describe("a reply to a visitor", () => {
  it("is kept for a while after its end, and not longer", function* () {
    const owner = yield* makeReply(10)
    yield* TestClock.adjust("29 seconds")
    expect(yield* kept([owner])).toEqual([true])
    yield* TestClock.adjust("3 seconds")
    expect(yield* kept([owner])).toEqual([false])
  })

  it("is begun once, and again after a failure, with numbers that go on", function* () {
    const owner = newReply()
    const gate = yield* Deferred.make<void, ProviderFailed>()
    let made = 0
    const make: MakeReply = ({ emit }) =>
      Effect.suspend(() => {
        made++
        emit(text(1))
        return Effect.as(Deferred.await(gate), finished)
      })
    const first = yield* start(owner, make)
    const same = yield* start(owner, make)
    expect([first.hasBegun, same.hasBegun, same.reply === first.reply]).toEqual([true, false, true])
    yield* Effect.yieldNow
    yield* Deferred.fail(gate, new ProviderFailed({ detail: "It failed." }))
    if (first.reply.fiber !== undefined) yield* Fiber.await(first.reply.fiber)
    const again = yield* start(owner, ({ emit }) =>
      Effect.as(
        Effect.sync(() => emit(text(1))),
        finished,
      ),
    )
    expect([again.hasBegun, again.reply.beginning, made]).toEqual([true, 2, 1])
  })

  it("is refused while another one is being made in its conversation", function* () {
    const conversation = SessionId.make(crypto.randomUUID())
    const claiming: MakeReply = ({ claim }) => Effect.andThen(claim(conversation), Effect.never)
    const first = yield* start(newReply(), claiming)
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    const second = yield* start(newReply(), claiming)
    if (second.reply.fiber === undefined) return expect.unreachable()
    expect(yield* Effect.flip(Fiber.join(second.reply.fiber))).toMatchObject({ _tag: "Conflict" })
    // Somebody else's claim says nothing about it.
    const other = yield* start({ ...newReply(), visitor: "other" }, claiming)
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    expect([first, other].map(({ reply }) => reply.endedAt)).toEqual([undefined, undefined])
    yield* LiveReplies.use(({ stop }) => stop(({ visitor }) => visitor === "visitor"))
    expect([first, other].map(({ reply }) => reply.endedAt === undefined)).toEqual([false, true])
  })

  it("gives way to later ones of its organization when they take too much memory, and to no others'", function* () {
    const elsewhere = yield* makeReply(10_000, OrganizationId.make(crypto.randomUUID()))
    const replies = yield* Effect.forEach(Array.from({ length: 20 }), () => makeReply(10_000))
    const some = yield* kept(replies)
    expect(some.filter(Boolean).length).toBeWithin(1, 11)
    // The oldest have gone.
    expect(some.indexOf(true)).toBe(some.filter((isKept) => !isKept).length)
    expect(yield* kept([elsewhere])).toEqual([true])
  })

  it("that is being made loses its oldest events when it takes too much memory, and goes on", function* () {
    const { reply } = yield* start(newReply(), ({ emit }) =>
      Effect.as(
        Effect.sync(() => {
          for (let event = 0; event < 200; event++) emit(text(1_000))
        }),
        finished,
      ),
    )
    if (reply.fiber !== undefined) yield* Fiber.await(reply.fiber)
    expect(reply.log.size).toBeLessThan(bounds.memory / 4)
    expect([reply.log.after(0), reply.log.last, reply.log.after(200)?.length]).toEqual([undefined, 201, 1])
  })
})
