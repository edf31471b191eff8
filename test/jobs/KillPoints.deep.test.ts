import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { simpleQuery } from "../../src/storage/embedded/Wire.ts"
import { killAtPoints } from "../lib/kills/KillAtPoints.ts"
import { killPoints, s3KillPoints } from "../lib/kills/KillPoints.ts"
import { StatementWatch } from "../lib/kills/StatementWatch.ts"
import { sampleOf, searchSeed, searchTimes, sizeOf } from "../lib/Sample.ts"

// The last tests start a server again and again.
setDefaultTimeout(240_000 * searchTimes)

const message = (type: string, ...texts: ReadonlyArray<string>): Buffer => {
  const body = Buffer.from(texts.map((text) => `${text}\0`).join(""))
  const bytes = Buffer.alloc(5 + body.length)
  bytes.write(type)
  bytes.writeInt32BE(4 + body.length, 1)
  body.copy(bytes, 5)
  return bytes
}

describe("what watches the statements of a server", () => {
  const prepared = [message("P", "s1", "select 1"), message("P", "s2", "select 2"), message("S")]
  const batch = [message("B", "", "s2"), message("E", ""), message("B", "", "s1"), message("E", ""), message("S")]
  const answers = [message("C", "SELECT 1"), message("C", "SELECT 1"), message("Z", "I")]

  /** Passes bytes in pieces of so many, and returns the moments that were reported. */
  const moments = (piece: number): ReadonlyArray<string> => {
    const seen: Array<string> = []
    const watch = new StatementWatch((moment, statement) => {
      seen.push(`${moment} ${statement}`)
      return true
    }, true)
    const pass = (messages: ReadonlyArray<Buffer>, give: (bytes: Uint8Array) => void) => {
      const bytes = Buffer.concat(messages)
      for (let at = 0; at < bytes.length; at += piece) give(bytes.subarray(at, at + piece))
    }
    pass([...prepared, ...batch, simpleQuery("select 3")], (bytes) => watch.request(bytes, () => {}))
    pass([message("Z", "I"), ...answers, message("C", "SELECT 1"), message("Z", "I")], (bytes) =>
      watch.answer(bytes, () => {}),
    )
    return seen
  }

  for (const piece of [1, 7, 10_000]) {
    test(`reports prepared statements and others when they come in pieces of ${piece} bytes`, () => {
      const texts = ["select 2", "select 1", "select 3"]
      const seen = moments(piece)
      for (const moment of ["before", "sent", "done"]) {
        expect(seen.filter((one) => one.startsWith(moment))).toEqual(texts.map((text) => `${moment} ${text}`))
      }
    })
  }

  test("keeps a statement, or its answer, from going on", () => {
    for (const stopped of ["before", "done"]) {
      const passed: Array<string> = []
      const watch = new StatementWatch((moment) => moment !== stopped, true)
      watch.request(simpleQuery("select 3"), () => passed.push("request"))
      watch.answer(Buffer.concat(answers.slice(1)), () => passed.push("answer"))
      expect(passed).toEqual(stopped === "before" ? ["answer"] : ["request"])
    }
  })
})

test.each(sampleOf(["a directory", "S3"] as const, 2))(
  "a server that is killed at named points of its work, with its files in %s, loses nothing that it acknowledged, and doubles nothing",
  async (store) => {
    const all = store === "S3" ? [...killPoints, ...s3KillPoints] : killPoints
    const [kills, first] = [searchTimes * sizeOf(4, 1), searchSeed % all.length]
    const points = [...all.slice(first), ...all.slice(0, first)]
    const isInS3 = store === "S3"
    const report = await Effect.runPromise(Effect.scoped(killAtPoints({ kills, seed: searchSeed, points, isInS3 })))
    expect(report).toEqual({ kills, faults: [] })
  },
)
