import { expect, test } from "bun:test"
import { Unavailable } from "../../src/domain/Errors.ts"
import { nothingThere, plainly } from "../../src/system/StartupError.ts"

test("a command that cannot go on says so in one line, and what to do; a fault keeps its stack trace", () => {
  const slow = new Unavailable({ detail: "The database cannot be reached right now.", retry_after_seconds: 2 })
  expect(plainly(slow)).toBe(
    "The database cannot be reached right now. See that DATABASE_URL names a server that answers in time, and try again.",
  )
  expect(plainly(nothingThere("/data"))).toStartWith("There is no database of Parley in /data. ")
  expect(plainly(new Error("a fault"))).toBeUndefined()
})
