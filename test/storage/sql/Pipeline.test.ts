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

/** A pipeline that its maker goes to open, and what the others in it have been told. */
const begin = () => {
  const pipeline = new Pipeline(MOST)
  pipeline.opening()
  const told: Array<string> = []
  const join = (name: string, now = 0) => {
    expect(pipeline.tryJoin(now)).toBe(true)
    return Effect.runFork(
      Effect.matchCause(pipeline.connection, {
        onSuccess: (given) => void told.push(`${name} ${given === undefined ? "opens" : "goes on"}`),
        onFailure: () => void told.push(`${name} fails`),
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
  return { pipeline, told, join, leave }
}

describe("a pipeline", () => {
  test("lets in who comes while its connection is got, and gives it back with the last", () => {
    const { pipeline, told, join, leave } = begin()
    join("second", 1_000)
    expect(told).toEqual([])
    pipeline.opened(Exit.succeed(connection), 1_000)
    join("third", 1_001)
    expect(told).toEqual(["second goes on", "third goes on"])
    expect([leave(1_001), leave(1_001)]).toEqual([false, false])
    expect(pipeline.isOver).toBe(false)
    expect(leave(1_001)).toBe(true)
    expect(pipeline.isOver).toBe(true)
    expect(pipeline.tryJoin(1_001)).toBe(false)
  })

  test("takes in no more than it may", () => {
    const { pipeline, join, leave } = begin()
    join("second")
    join("third")
    expect(pipeline.tryJoin(0)).toBe(false)
    leave()
    expect(pipeline.tryJoin(0)).toBe(true)
  })

  test("is closed while its statements do not end, and open again when one does", () => {
    const { pipeline, join, leave } = begin()
    pipeline.opened(Exit.succeed(connection), 1_000)
    join("second", 1_002)
    expect(pipeline.tryJoin(1_003)).toBe(false)
    leave(1_020)
    expect(pipeline.tryJoin(1_022)).toBe(true)
  })

  test("is closed for good after a while, so that others get the connection", () => {
    const { pipeline, join, leave } = begin()
    pipeline.opened(Exit.succeed(connection), 1_000)
    for (let now = 1_001; now < 1_050; now++) {
      join("another", now)
      leave(now)
    }
    expect(pipeline.tryJoin(1_050)).toBe(false)
  })

  test("is closed when a statement fails, for the connection may be gone", () => {
    const { pipeline, join, leave } = begin()
    pipeline.opened(Exit.succeed(connection), 0)
    join("second")
    leave(0, Exit.fail("no"))
    expect(pipeline.tryJoin(0)).toBe(false)
  })

  test("tells all that no connection could be got", () => {
    const { pipeline, told, join, leave } = begin()
    join("second")
    join("third")
    pipeline.opened(Exit.fail(failure), 0)
    expect(told).toEqual(["second fails", "third fails"])
    expect([leave(), leave(), leave()]).toEqual([false, false, true])
  })

  test("has the next get a connection when the first gives up, and so on", async () => {
    const { pipeline, told, join, leave } = begin()
    const impatient = join("impatient")
    join("second")
    await Effect.runPromise(Fiber.interrupt(impatient))
    leave(0, interrupted)
    pipeline.opened(interrupted, 0)
    leave(0, interrupted)
    expect(told).toEqual(["second opens"])
    join("third")
    pipeline.opening()
    pipeline.opened(interrupted, 0)
    expect(told.at(-1)).toBe("third opens")
    // Who was told and did not live to do it.
    join("fourth")
    leave(0, interrupted)
    expect(told.at(-1)).toBe("fourth opens")
    pipeline.opening()
    pipeline.opened(Exit.succeed(connection), 0)
    join("fifth")
    expect(told.at(-1)).toBe("fifth goes on")
  })

  test("has who comes when nobody gets the connection any more get it", () => {
    const { pipeline, told, join } = begin()
    pipeline.opened(interrupted, 0)
    join("second")
    expect(told).toEqual(["second opens"])
  })
})
