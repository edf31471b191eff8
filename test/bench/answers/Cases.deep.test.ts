import { expect, test } from "bun:test"
import { Effect } from "effect"
import { kinds, writtenKnowledge } from "./Case.ts"
import { impossibleCases } from "./Check.ts"

/** Those whose documents belong to the project. */
const written = writtenKnowledge(undefined)

test("every question of the benchmark has its answer in the documents that are uploaded for it", async () => {
  const impossible = await Effect.runPromise(Effect.forEach(written, impossibleCases))
  expect(impossible.flat().map(([{ id }, reason]) => `${id}: ${reason}`)).toEqual([])
})

test("no question of the benchmark is asked twice", () => {
  const ids = written.flatMap(({ cases }) => cases.map(({ id }) => id))
  expect(ids).toEqual([...new Set(ids)])
})

test("both halves of the benchmark have questions of every kind", () => {
  const cases = written.flatMap((knowledge) => knowledge.cases)
  for (const half of ["dev", "held"]) {
    const present = new Set(cases.filter((each) => each.half === half).map(({ kind }) => kind))
    expect(kinds.filter((kind) => !present.has(kind))).toEqual([])
  }
})
