import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { heapStats } from "bun:jsc"
import { PGlite } from "@electric-sql/pglite"
import { answerTo } from "../../../src/storage/embedded/Answer.ts"
import { simpleQuery } from "../../../src/storage/embedded/Wire.ts"
import { until } from "../../lib/Client.ts"

setDefaultTimeout(180_000)

let engine: PGlite

beforeAll(async () => {
  engine = await PGlite.create()
})

afterAll(() => engine.close())

const DATA_ROW = "D".charCodeAt(0)
const READY_FOR_QUERY = "Z".charCodeAt(0)

/** The types of the messages of an answer. */
const typesOf = (answer: Uint8Array): ReadonlyArray<number> => {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength)
  const types: Array<number> = []
  for (let at = 0; at < answer.length; at += 1 + view.getInt32(at + 1)) types.push(answer[at] ?? 0)
  return types
}

/** A query whose answer is longer than what Postgres writes at once. */
const ROWS = 3_000
const manyRows = simpleQuery(`select n, repeat('x', 100) from generate_series(1, ${ROWS}) as n`)

test("an answer is complete, although Postgres writes it in many pieces", async () => {
  const types = typesOf(await answerTo(engine, manyRows))
  expect(types.filter((type) => type === DATA_ROW)).toHaveLength(ROWS)
  expect(types.at(-1)).toBe(READY_FOR_QUERY)
  expect(typesOf(await answerTo(engine, simpleQuery("select 1")))).toHaveLength(4)
})

test("the error of a failed query is an answer too, and the next query succeeds", async () => {
  const failed = Buffer.from(await answerTo(engine, simpleQuery("select 1 / 0"))).toString("latin1")
  expect(failed).toContain("division by zero")
  expect(typesOf(await answerTo(engine, simpleQuery("select 1")))).toHaveLength(4)
})

test("the engine does not keep answers in memory", async () => {
  const objects = () => {
    Bun.gc(true)
    return heapStats().objectCount
  }
  await answerTo(engine, manyRows)
  const before = objects()
  for (let times = 0; times < 10; times++) await answerTo(engine, manyRows)
  // One collection need not free everything, but what the engine keeps is never freed.
  await until(
    () => Promise.resolve(objects() - before),
    (more) => more < ROWS,
  )
})
