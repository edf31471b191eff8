import { describe, expect, test } from "bun:test"
import { Effect, Exit, Fiber, Scope } from "effect"
import { SqlError } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { Pipeline } from "../../../src/storage/sql/Pipeline.ts"

const unused = (): never => {
  throw new Error("No statement runs in these tests")
}
const connection: SqlConnection.Connection = {
  execute: unused,
  executeRaw: unused,
  executeStream: unused,
  executeValues: unused,
  executeValuesUnprepared: unused,
  executeUnprepared: unused,
}
const failure = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("lost") }) })
const interrupted = Exit.interrupt()

const MOST = 3

/** A pipeline whose first statement borrows the connection, and a record of the outcomes of the other statements. */
const begin = () => {
  const pipeline = new Pipeline(MOST)
  pipeline.opening()
  const outcomes: Array<string> = []
  const join = (name: string, now = 0) => {
    expect(pipeline.tryJoin(now)).toBe(true)
    return Effect.runFork(
      Effect.matchCause(pipeline.connection, {
        onSuccess: (given) => void outcomes.push(`${name} ${given === undefined ? "opens" : "goes on"}`),
        onFailure: () => void outcomes.push(`${name} fails`),
      }),
    )
  }
  let isGivenBack = false
  Effect.runSync(
    Scope.addFinalizer(
      pipeline.scope,
      Effect.sync(() => void (isGivenBack = true)),
    ),
  )
  const leave = (now = 0, exit: Exit.Exit<void, unknown> = Exit.void) => {
    Effect.runSync(pipeline.leave(exit, now))
    return isGivenBack
  }
  return { pipeline, outcomes, join, leave }
}

describe("a pipeline", () => {
  test("takes statements while its connection is being borrowed, and returns it with the last one", () => {
    const { pipeline, outcomes, join, leave } = begin()
    join("second", 1_000)
    expect(outcomes).toEqual([])
    pipeline.opened(Exit.succeed(connection), 1_000)
    join("third", 1_001)
    expect(outcomes).toEqual(["second goes on", "third goes on"])
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
    const { pipeline, join, leave } = begin()
    pipeline.opened(Exit.succeed(connection), 1_000)
    join("second", 1_002)
    expect(pipeline.tryJoin(1_003)).toBe(false)
    leave(1_020)
    expect(pipeline.tryJoin(1_022)).toBe(true)
  })

  test("takes no statement any more after a while, so that others get the connection", () => {
    const { pipeline, join, leave } = begin()
    pipeline.opened(Exit.succeed(connection), 1_000)
    for (let now = 1_001; now < 1_050; now++) {
      join("another", now)
      leave(now)
    }
    expect(pipeline.tryJoin(1_050)).toBe(false)
  })

  test("takes no statement any more after one has failed, because the connection may be lost", () => {
    const { pipeline, join, leave } = begin()
    pipeline.opened(Exit.succeed(connection), 0)
    join("second")
    leave(0, Exit.fail("no"))
    expect(pipeline.tryJoin(0)).toBe(false)
  })

  test("fails all of its statements when no connection can be borrowed", () => {
    const { pipeline, outcomes, join, leave } = begin()
    join("second")
    join("third")
    pipeline.opened(Exit.fail(failure), 0)
    expect(outcomes).toEqual(["second fails", "third fails"])
    expect([leave(), leave(), leave()]).toEqual([false, false, true])
  })

  test("lets the next statement borrow a connection when the one before is interrupted", async () => {
    const { pipeline, outcomes, join, leave } = begin()
    const impatient = join("impatient")
    join("second")
    await Effect.runPromise(Fiber.interrupt(impatient))
    leave(0, interrupted)
    pipeline.opened(interrupted, 0)
    leave(0, interrupted)
    expect(outcomes).toEqual(["second opens"])
    join("third")
    pipeline.opening()
    pipeline.opened(interrupted, 0)
    expect(outcomes.at(-1)).toBe("third opens")
    // The statement that has to borrow is interrupted before it begins.
    join("fourth")
    leave(0, interrupted)
    expect(outcomes.at(-1)).toBe("fourth opens")
    pipeline.opening()
    pipeline.opened(Exit.succeed(connection), 0)
    join("fifth")
    expect(outcomes.at(-1)).toBe("fifth goes on")
  })

  test("lets a statement that joins borrow the connection when no other is doing so", () => {
    const { pipeline, outcomes, join } = begin()
    pipeline.opened(interrupted, 0)
    join("second")
    expect(outcomes).toEqual(["second opens"])
  })
})
