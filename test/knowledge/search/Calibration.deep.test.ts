import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { indexing, learn, search, type Tenant } from "../../lib/Knowledge.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"
import sets from "./calibration.json"

const runtime = ManagedRuntime.make(
  search({ indexBytes: 2 ** 20, threshold: undefined }).pipe(
    Layer.provideMerge(indexing),
    Layer.provideMerge(Layer.merge(storage, platform)),
  ),
)
afterAll(() => runtime.dispose())

const languages = Object.entries(sets)

/** The contents that are found for each question in one knowledge base with the passages of all languages. */
const found = runtime.runPromise(
  Effect.gen(function* () {
    const tenant = yield* makeTenant
    for (const [, { passages }] of languages) {
      yield* learn(
        tenant,
        "",
        passages.map((text) => ({ text })),
      )
    }
    return yield* Effect.forEach(languages, ([language, { passages, questions, unrelated }]) =>
      Effect.all({
        language: Effect.succeed(language),
        passages: Effect.succeed(passages),
        answerable: Effect.forEach(questions, (question) => contentsFor(tenant, question)),
        unrelated: Effect.forEach(unrelated, (question) => contentsFor(tenant, question)),
      }),
    )
  }),
)

const contentsFor = ({ organization, chatbot }: Tenant, query: string) =>
  Effect.gen(function* () {
    const { hits } = yield* as(organization)((yield* Retriever).search({ chatbotId: chatbot, query, topK: 5 }))
    return hits.map((hit) => hit.content)
  })

describe("the default threshold, in a knowledge base of seven languages", () => {
  test("leaves few questions without passages that a passage answers in other words", async () => {
    const answerable = (await found).flatMap((each) => each.answerable)
    expect(answerable.filter((contents) => contents.length === 0).length).toBeLessThan(0.1 * answerable.length)
  })

  test("keeps the passage that answers the question", async () => {
    for (const { passages, answerable } of await found) {
      const kept = answerable.filter((contents, question) => contents.includes(passages[question] ?? ""))
      expect(kept.length).toBeGreaterThanOrEqual(answerable.length - 1)
    }
  })

  test("lets few unrelated questions find something, in any language", async () => {
    const unrelated = (await found).flatMap((each) => each.unrelated)
    expect(unrelated.filter((contents) => contents.length > 0).length).toBeLessThan(0.15 * unrelated.length)
  })
})
