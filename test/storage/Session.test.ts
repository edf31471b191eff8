import { describe, expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import type { SqlConnection } from "effect/sql"
import { Session } from "../../src/storage/Session.ts"

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

/** A session that acts for `a`, and what has happened in it so far. */
const open = () => {
  const session = new Session(connection)
  session.identity = "a"
  const inside: Array<string> = []
  const enter = (name: string, identity: string, isAlone = false) =>
    Effect.runFork(Effect.map(session.enter(identity, isAlone), () => void inside.push(name)))
  const leave = () => Effect.runSync(session.leave)
  return { session, inside, enter, leave }
}

describe("a session", () => {
  test("is shared by those for whom it acts already, and by no others", () => {
    const { session, inside, enter } = open()
    expect(session.tryShare("a")).toBe(true)
    enter("second", "a")
    enter("stranger", "b")
    expect(inside).toEqual(["second"])
    // Somebody waits, so nobody slips past.
    expect(session.tryShare("a")).toBe(false)
  })

  test("is closed to those whom it acted for as soon as another is in", () => {
    const { session, inside, enter, leave } = open()
    expect(session.tryShare("b")).toBe(true)
    // b has not been assumed yet, and must not be while somebody of a is inside.
    expect(session.tryShare("a")).toBe(false)
    enter("a", "a")
    session.is("b")
    expect(inside).toEqual([])
    leave()
    expect(inside).toEqual(["a"])
    expect(session.identity).toBeUndefined()
  })

  test("changes hands when the last has left, and then takes in who is of the new one", () => {
    const { session, inside, enter, leave } = open()
    enter("first", "a")
    enter("second", "a")
    enter("b1", "b")
    enter("b2", "b")
    enter("late", "a")
    leave()
    expect(inside).toEqual(["first", "second"])
    leave()
    // Until it acts for b, b1 is alone in it.
    expect(inside).toEqual(["first", "second", "b1"])
    session.is("b")
    expect(inside).toEqual(["first", "second", "b1", "b2"])
    leave()
    leave()
    expect(inside.at(-1)).toBe("late")
  })

  test("is one transaction's alone", () => {
    const { session, inside, enter, leave } = open()
    enter("statement", "a")
    enter("transaction", "a", true)
    enter("after", "a")
    expect(inside).toEqual(["statement"])
    leave()
    expect(inside).toEqual(["statement", "transaction"])
    expect(session.tryShare("a")).toBe(false)
    leave()
    expect(inside).toEqual(["statement", "transaction", "after"])
  })

  test("forgets who gives up waiting, and lets in who stood behind", async () => {
    const { inside, enter, leave } = open()
    enter("first", "a")
    const impatient = enter("impatient", "b")
    enter("behind", "a")
    expect(inside).toEqual(["first"])
    await Effect.runPromise(Fiber.interrupt(impatient))
    expect(inside).toEqual(["first", "behind"])
    leave()
    leave()
    enter("next", "b", true)
    expect(inside.at(-1)).toBe("next")
  })
})
