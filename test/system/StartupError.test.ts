import { expect, test } from "bun:test"
import { Unavailable } from "../../src/domain/Errors.ts"
import { nothingThere, plainly } from "../../src/system/StartupError.ts"

test("a command that cannot go on says so in one line, and what to do; a fault keeps its stack trace", () => {
  const slow = new Unavailable({ detail: "The database cannot be reached right now.", retry_after_seconds: 2 })
  expect(plainly(slow)).toBe("The database cannot be reached right now. The log says why. Try again when it is over.")
  expect(plainly(nothingThere("/data"))).toStartWith("There is no database of Parley in /data. ")
  expect(plainly(new Error("a fault"))).toBeUndefined()
})
