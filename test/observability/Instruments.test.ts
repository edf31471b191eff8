import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { beforeReading, exposition } from "../../src/observability/Exposition.ts"
import { counted, counter, gauge, histogram } from "../../src/observability/Instruments.ts"

/** Series stay as long as the process, in which this file may have run before. */
const own = `test_${Bun.nanoseconds()}`

const linesOf = async (name: string) =>
  (await Effect.runPromise(exposition)).split("\n").filter((line) => line.startsWith(name))

describe("a counter", () => {
  test("has one series for each combination of label values", async () => {
    const requests = counter(`${own}_requests_total`, "Requests.", ["method", "status"])
    requests("GET", "200").add()
    requests("GET", "200").add(2)
    requests("GET", "404").add()
    expect(requests("GET", "200")).toBe(requests("GET", "200"))
    expect(await linesOf(`${own}_requests_total`)).toEqual([
      `${own}_requests_total{method="GET",status="200"} 3`,
      `${own}_requests_total{method="GET",status="404"} 1`,
    ])
  })

  test("counts combinations beyond its most series together", async () => {
    const calls = counter(`${own}_calls_total`, "Calls.", ["model"], 2)
    for (const model of ["a", "b", "c", "d", "c", "a"]) calls(model).add()
    expect(await linesOf(`${own}_calls_total`)).toEqual([
      `${own}_calls_total{model="a"} 2`,
      `${own}_calls_total{model="b"} 1`,
      `${own}_calls_total{model="other"} 3`,
    ])
  })

  test("shows a label value as one line, whatever it contains", async () => {
    const calls = counter(`${own}_odd_total`, "Odd.", ["model"])
    calls('a"b\\c\nd').add()
    expect(await linesOf(`${own}_odd_total`)).toEqual([`${own}_odd_total{model="a\\"b\\\\c\\nd"} 1`])
  })
})

test("a histogram counts each value in all buckets that it fits in", async () => {
  const seconds = histogram(`${own}_seconds`, "Time.", [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) seconds().observe(value)
  expect(await linesOf(`${own}_seconds`)).toEqual([
    `${own}_seconds_bucket{le="0.1"} 2`,
    `${own}_seconds_bucket{le="1"} 3`,
    `${own}_seconds_bucket{le="+Inf"} 4`,
    `${own}_seconds_sum 7.65`,
    `${own}_seconds_count 4`,
  ])
})

test("a value that is counted elsewhere is read when the metrics are, until its scope closes", async () => {
  let size = 1
  const shown = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        yield* gauge("test_size", "Size.")().read(() => size)
        yield* counted("test_seen_total", "Seen.").read(() => size * 10)
        yield* beforeReading(Effect.sync(() => size++))
        return yield* Effect.promise(() => linesOf("test_s"))
      }),
    ),
  )
  expect(shown).toContain("test_size 2")
  expect(shown).toContain("test_seen_total 20")
  expect(await linesOf("test_size")).toEqual([])
})
