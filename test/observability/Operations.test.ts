import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Metrics from "../../src/observability/Metrics.ts"

const directory = join(import.meta.dir, "../../docs/operations")
const textOf = (file: string) => readFileSync(join(directory, file), "utf8")

const source = readFileSync(join(import.meta.dir, "../../src/observability/Metrics.ts"), "utf8")
/** The metrics that are defined, with their types and labels. */
const defined = new Map(
  Array.from(
    source.matchAll(/(counter|counted|gauge|histogram)\(\s*"([a-z_]+)",\s*"[^"]*"([^()]*)\)/g),
    ([, type = "", name = "", labels = ""]) => [
      name,
      { type, labels: Array.from(labels.matchAll(/"(\w+)"/g), ([, label]) => label) },
    ],
  ),
)

/** The metric that a name in a query belongs to: histograms have further names. */
const metricOf = (name: string) => defined.get(name) ?? defined.get(name.replace(/_(?:bucket|sum|count)$/, ""))

/** The names in queries that look like metrics of a server. */
const namesIn = (text: string) => Array.from(text.matchAll(/\b(?:parley|process)_[a-z_]+\b/g), ([name]) => name)

describe("the definitions of metrics", () => {
  test("are all found by these tests", () => {
    const count = Object.values(Metrics).reduce((sum, group) => sum + Object.keys(group).length, 0)
    expect(defined.size).toBe(count)
  })

  test.each(Array.from(defined))("follow the conventions of Prometheus: %s", (name, { labels, type }) => {
    const isCounter = type === "counter" || type === "counted"
    expect(name.endsWith("_total")).toBe(isCounter)
    if (type === "histogram") expect(name).toMatch(/_seconds$/)
    for (const label of labels) expect(label).toMatch(/^(?!.*(?:organization|chatbot|conversation|key|user))[a-z_]+$/)
  })
})

describe.each(["grafana-dashboard.json", "alerts.yml"])("%s", (file) => {
  test("names metrics that exist", () => {
    const names = namesIn(textOf(file))
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => metricOf(name) === undefined)).toEqual([])
  })
})

test("the dashboard shows every metric but those of the exports", () => {
  const names = namesIn(textOf("grafana-dashboard.json"))
  const shown = new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, "")))
  const missing = Array.from(defined.keys()).filter((name) => !shown.has(name))
  expect(missing.toSorted()).toEqual([
    "parley_search_indexes",
    "parley_telemetry_dropped_total",
    "process_start_time_seconds",
  ])
})

test("the dashboard groups by labels that the metrics have", () => {
  const queries = Array.from(textOf("grafana-dashboard.json").matchAll(/"expr": "(.*)"/g), ([, query = ""]) => query)
  const known = new Set(["le", "instance", ...Array.from(defined.values()).flatMap(({ labels }) => labels)])
  const grouped = queries.flatMap((query) =>
    Array.from(query.matchAll(/by \(([^)]*)\)/g), ([, labels = ""]) => labels.split(/,\s*/)).flat(),
  )
  expect(grouped.length).toBeGreaterThan(20)
  expect(grouped.filter((label) => !known.has(label))).toEqual([])
})
