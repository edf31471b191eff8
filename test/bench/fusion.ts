import { parseArgs } from "node:util"
import { Console, Effect, Layer } from "effect"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { fusionsOf, lossOf, QUALITIES } from "../lib/KnownGeometry.ts"
import { platform } from "../lib/Layers.ts"
import * as TestDatabase from "../lib/TestDatabase.ts"
import { makeOrganization } from "./lib/Filling.ts"
import { makeSet, PUBLIC_SETS } from "./lib/sets/Sets.ts"

/** The questions of a set are thinned out to about so many. */
const QUESTIONS = 250
/** The tolerated loss against the better one of both lists. */
const TOLERATED = 0.02

const organization = OrganizationId.make(crypto.randomUUID())

const measureSets = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  yield* makeOrganization(organization)
  for (const name of names) {
    const set = makeSet(directory, name)
    const step = Math.ceil(set.questions.length / QUESTIONS)
    const questions = set.questions.filter((_, number) => number % step === 0)
    const asked = new Set(questions.map(({ id }) => id))
    const judgements = new Map([...set.judgements].filter(([id]) => asked.has(id)))
    for (const fusion of yield* fusionsOf({ ...set, questions, judgements }, QUALITIES)) {
      const { fused, quality, vectors, words } = fusion
      const loss = lossOf(fusion)
      yield* Console.log(
        `${name.padEnd(20)} vectors ${quality.padEnd(9)} ndcg10 words ${words.toFixed(4)}  vectors ${vectors.toFixed(4)}  fused ${fused.toFixed(4)}  ${(-100 * loss).toFixed(1).padStart(6)} % against the better one${loss > TOLERATED ? "  !" : ""}`,
      )
    }
  }
})

/**
 * Measures the fusion of words with the vectors of a remote model of known quality, over the real storage and retriever
 * and HTTP. On the embedded database, or on `DATABASE_URL`. Options: `--data DIR` (or `PARLEY_BENCH_DATA`), `--sets a,b`.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({ args: [...args], options: { data: { type: "string" }, sets: { type: "string" } } })
  const directory = values.data ?? process.env["PARLEY_BENCH_DATA"]
  if (directory === undefined) throw new Error("Say where the sets are: --data DIR, or PARLEY_BENCH_DATA")
  return measureSets(directory, values.sets?.split(",") ?? PUBLIC_SETS).pipe(
    Effect.provide(Layer.merge(TestDatabase.layer, platform)),
    Effect.provideService(CurrentOrganization, organization),
    Effect.scoped,
    Effect.runPromise,
  )
}
