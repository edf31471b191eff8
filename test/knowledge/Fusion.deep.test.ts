import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { makeOrganization } from "../bench/lib/Filling.ts"
import type { RetrievalSet } from "../bench/lib/RetrievalSet.ts"
import { fusionsOf, lossOf, type Quality } from "./KnownGeometry.ts"
import { platform } from "../lib/Layers.ts"
import { random } from "../lib/Random.ts"
import * as TestDatabase from "../lib/TestDatabase.ts"

const PASSAGES = 100
const QUESTIONS = 24
const TOLERATED = 0.02

/** A made-up language of 400 words, in which each question shares words with its passage and more with another one. */
const makeSet = (): RetrievalSet => {
  const next = random(3)
  const below = (count: number) => Math.floor(next() * count)
  const syllables = ["ba", "ke", "lo", "mi", "nu", "ra", "so", "ti", "vu", "ze"]
  const vocabulary = Array.from(
    { length: 400 },
    (_, number) =>
      `${syllables[number % 10]}${syllables[Math.floor(number / 10) % 10]}${syllables[Math.floor(number / 40)]}k`,
  )
  const words = (count: number) => Array.from({ length: count }, () => vocabulary[below(vocabulary.length)] ?? "")
  const passages = Array.from({ length: PASSAGES }, (_, number) => ({ id: `p${number}`, words: words(30) }))
  const questions = Array.from({ length: QUESTIONS }, (_, number) => {
    const [relevant, other] = [passages[number * 3], passages[number * 3 + 1]]
    const some = (from: typeof relevant, count: number) =>
      Array.from({ length: count }, () => from?.words[below(30)] ?? "")
    return {
      id: `q${number}`,
      text: [...some(relevant, 4), ...some(other, 3)].join(" "),
      relevant: relevant?.id ?? "",
    }
  })
  return {
    name: "made-up",
    subject: "made-up",
    passages: passages.map(({ id, words }) => ({ id, title: "", text: words.join(" ") })),
    questions,
    judgements: new Map(questions.map(({ id, relevant }) => [id, new Map([[relevant, 1]])])),
  }
}

test("a search with the vectors of a remote model is hardly worse than by words or by vectors alone, whatever the model is worth", async () => {
  const organization = OrganizationId.make(crypto.randomUUID())
  const qualities: ReadonlyArray<Quality> = ["perfect", "good", "random", "half"]
  const fusions = await Effect.andThen(makeOrganization(organization), fusionsOf(makeSet(), qualities)).pipe(
    Effect.provide(Layer.merge(TestDatabase.layer, platform)),
    Effect.provideService(CurrentOrganization, organization),
    Effect.scoped,
    Effect.runPromise,
  )
  const figures = fusions.map((fusion) => ({ ...fusion, loss: lossOf(fusion) }))
  // The set tells the lists apart: neither words nor good vectors find everything, and the random ones find nothing.
  expect(figures.find(({ quality }) => quality === "random")?.words).toBeWithin(0.5, 0.97)
  expect(figures.filter(({ loss }) => loss > TOLERATED)).toEqual([])
})
