import { describe, expect, test } from "bun:test"
import { Effect, Exit, Fiber } from "effect"
import { SqlError } from "effect/sql"
import { Pipeline } from "../../../src/storage/sql/Pipeline.ts"

const failure = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("lost") }) })
const interrupted = Exit.interrupt()

const MOST = 3

/** A pipeline whose first statement is borrowing the connection, and a record of what happens. */
const begin = () => {
  const pipeline = new Pipeline<string>(MOST)
  const outcomes: Array<string> = []
  let time = 0
  let lent: (connection: Effect.Effect<string, SqlError.SqlError>) => void = () => {}
  const ask = (name: string) => {
    const lend = () =>
      Effect.acquireRelease(
        Effect.sync(() => void outcomes.push(`${name} borrows`)),
        () => Effect.sync(() => void outcomes.push(`${name} gives back`)),
      ).pipe(Effect.andThen(Effect.callback<string, SqlError.SqlError>((resume) => void (lent = resume))))
    return Effect.runFork(
      Effect.matchCause(
        pipeline.connection(lend, () => time),
        {
          onSuccess: () => void outcomes.push(`${name} goes on`),
          onFailure: () => void outcomes.push(`${name} fails`),
        },
      ),
    )
  }
  const first = ask("first")
  const opened = (connection: Effect.Effect<string, SqlError.SqlError>, now = 0) => {
    time = now
    lent(connection)
  }
  const join = (name: string, now = 0) => {
    expect(pipeline.tryJoin(now)).toBe(true)
    return ask(name)
  }
  const leave = (now = 0, exit: Exit.Exit<void, unknown> = Exit.void) => {
    Effect.runSync(pipeline.leave(exit, now))
    return outcomes.at(-1)?.endsWith("gives back") === true
  }
  return { pipeline, first, opened, outcomes, join, leave }
}

describe("a pipeline", () => {
  test("takes statements while its connection is being borrowed, and returns it with the last one", () => {
    const { pipeline, opened, outcomes, join, leave } = begin()
    join("second", 1_000)
    expect(outcomes).toEqual(["first borrows"])
    opened(Effect.succeed("connection"), 1_000)
    join("third", 1_001)
    expect(outcomes.slice(1).toSorted()).toEqual(["first goes on", "second goes on", "third goes on"])
    expect([leave(1_001), leave(1_001)]).toEqual([false, false])
    expect(pipeline.isOver).toBe(false)
    expect(leave(1_001)).toBe(true)
    expect(pipeline.isOver).toBe(true)
    expect(pipeline.tryJoin(1_001)).toBe(false)
  })

  test("takes no more statements than its limit", () => {
    const { pipeline, join, leave } = begin()
    join("second")
    join("third")
    expect(pipeline.tryJoin(0)).toBe(false)
    leave()
    expect(pipeline.tryJoin(0)).toBe(true)
  })

  test("takes no statement while none of its own ends, and takes one again when one does", () => {
    const { pipeline, opened, join, leave } = begin()
    opened(Effect.succeed("connection"), 1_000)
    join("second", 1_002)
    expect(pipeline.tryJoin(1_003)).toBe(false)
    leave(1_020)
    expect(pipeline.tryJoin(1_022)).toBe(true)
  })

  test("takes no statement any more after a while, so that others get the connection", () => {
    const { pipeline, opened, join, leave } = begin()
    opened(Effect.succeed("connection"), 1_000)
    for (let now = 1_001; now < 1_050; now++) {
      join("another", now)
      leave(now)
    }
    expect(pipeline.tryJoin(1_050)).toBe(false)
  })

  test("takes no statement any more after one has failed, because the connection may be lost", () => {
    const { pipeline, opened, join, leave } = begin()
    opened(Effect.succeed("connection"), 0)
    join("second")
    leave(0, Exit.fail("no"))
    expect(pipeline.tryJoin(0)).toBe(false)
  })

  test("fails all of its statements when no connection can be borrowed", () => {
    const { opened, outcomes, join, leave } = begin()
    join("second")
    join("third")
    opened(Effect.fail(failure))
    expect(outcomes.slice(0, 2)).toEqual(["first borrows", "first gives back"])
    expect(outcomes.slice(2).toSorted()).toEqual(["first fails", "second fails", "third fails"])
    expect([leave(), leave(), leave()]).toEqual([false, false, false])
  })

  test("lets the next statement borrow a connection when the one before is interrupted", async () => {
    const { first, opened, outcomes, join, leave } = begin()
    const impatient = join("impatient")
    const second = join("second")
    await Effect.runPromise(Fiber.interrupt(impatient))
    leave(0, interrupted)
    await Effect.runPromise(Fiber.interrupt(first))
    leave(0, interrupted)
    join("third")
    expect(outcomes).toEqual(["first borrows", "first gives back", "second borrows"])
    await Effect.runPromise(Fiber.interrupt(second))
    expect(outcomes.slice(3)).toEqual(["second gives back", "third borrows"])
    leave(0, interrupted)
    opened(Effect.succeed("connection"))
    join("fourth")
    expect(outcomes.slice(5)).toEqual(["third goes on", "fourth goes on"])
  })

  test("lets a statement that joins borrow the connection when no other is doing so", async () => {
    const { first, outcomes, join } = begin()
    await Effect.runPromise(Fiber.interrupt(first))
    join("second")
    expect(outcomes.at(-1)).toBe("second borrows")
  })
})
