import { expect, test } from "bun:test"
import { mergeExpositions } from "../../../src/http/server/Expositions.ts"

test("the metrics of workers are told apart by a label, and each metric is described once", () => {
  const of = (count: number) => `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="/a",status="200"} ${count}
requests_total{} 1
# TYPE pool_size gauge
pool_size 16
`
  const merged = mergeExpositions(
    new Map([
      [1, of(7)],
      [2, `${of(9)}# TYPE only_here gauge\nonly_here 1\n`],
    ]),
  )
  expect(merged).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{worker="1",route="/a",status="200"} 7
requests_total{worker="1"} 1
requests_total{worker="2",route="/a",status="200"} 9
requests_total{worker="2"} 1
# TYPE pool_size gauge
pool_size{worker="1"} 16
pool_size{worker="2"} 16
# TYPE only_here gauge
only_here{worker="2"} 1
`)
})
