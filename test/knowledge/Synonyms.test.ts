import { afterAll, describe, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import { effectTests } from "../lib/EffectTests.ts"
import { countedChunks, indexing, learn, search, type SearchSettings, type Tenant } from "../lib/Knowledge.ts"
import { platform, storage } from "../lib/Layers.ts"
import { as, makeTenant } from "../lib/Tenants.ts"

const runtime = ManagedRuntime.make(
  indexing.pipe(Layer.provideMerge(countedChunks), Layer.provideMerge(Layer.merge(storage, platform))),
)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
afterAll(() => runtime.dispose())

const setSynonyms = Effect.fnUntraced(function* (tenant: Tenant, synonyms: ReadonlyArray<ReadonlyArray<string>>) {
  const chatbots = yield* Chatbots
  yield* as(tenant.organization)(
    chatbots.modify(tenant.chatbot, ({ settings }) => Effect.succeed({ settings: { ...settings, synonyms } })),
  )
})

const find = Effect.fnUntraced(function* ({ organization, chatbot }: Tenant, query: string) {
  const found = yield* as(organization)((yield* Retriever).search({ chatbotId: chatbot, query, topK: 5 }))
  return found.hits.map(({ content }) => content)
})

const vacation = { text: "Everybody has thirty days of vacation, which the team lead approves." }
const paidLeave = { text: "A request for paid leave is sent by the form in the intranet." }
const apart = { text: "The salary is paid on the first. Whoever wants to go early may leave the car park by gate two." }
const coffee = { text: "The coffee machine on the second floor is cleaned on Mondays." }
const laptop = { text: "A laptop is replaced after four years, and the old one may be bought." }
const parking = { text: "The garage opens at six, and visitors ring at the gate." }
const passages = [vacation, paidLeave, apart, coffee, laptop, parking]

const places: ReadonlyArray<readonly [string, SearchSettings]> = [
  ["an index in memory", { indexBytes: 2 ** 26, threshold: undefined }],
  ["the database", { indexBytes: 1, threshold: undefined }],
]

describe.each(places)("synonyms, found by %s,", (_, settings) => {
  const it = effectTests(<A, E>(effect: Effect.Effect<A, E, Retriever | Services>) =>
    runtime.runPromise(Effect.provide(effect, search(settings))),
  )

  it("stand for each other at once, as words and as phrases, in any form", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Handbook", passages)
    expect(yield* find(tenant, "How much PTO?")).toEqual([])
    yield* setSynonyms(tenant, [["PTO", "paid leave", "vacations"]])
    const found = yield* find(tenant, "How much pto?")
    expect(new Set(found.slice(0, 2))).toEqual(new Set([vacation.text, paidLeave.text]))
    expect(found).not.toContain(apart.text)
    // The words of the question itself come first.
    expect((yield* find(tenant, "vacation"))[0]).toBe(vacation.text)
    expect(yield* find(tenant, "vacation")).toContain(paidLeave.text)
    expect((yield* find(tenant, "paid leave"))[0]).toBe(paidLeave.text)
    expect(yield* find(tenant, "paid leave")).toContain(vacation.text)
    yield* setSynonyms(tenant, [])
    expect(yield* find(tenant, "How much PTO?")).toEqual([])
  })

  it("stand for each other in languages without spaces", function* () {
    const tenant = yield* makeTenant
    const chinese = ["员工每年享有十五天的年假。", "咖啡机位于二楼的厨房里。", "停车场每天早上六点开放。"]
    yield* learn(
      tenant,
      "手册",
      chinese.map((text) => ({ text })),
    )
    expect(yield* find(tenant, "带薪休假有几天？")).toEqual([])
    yield* setSynonyms(tenant, [["带薪休假", "年假"]])
    expect((yield* find(tenant, "带薪休假有几天？"))[0]).toBe(chinese[0] ?? "")
  })

  it("do not stand for what is too common to be searched for", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Handbook", [...passages, { text: "It is time to renew the lease of the copier." }])
    yield* setSynonyms(tenant, [
      ["IT", "copier"],
      ["time off", "vacation"],
    ])
    expect(yield* find(tenant, "How much time off do I have?")).toContain(vacation.text)
    // Neither the stop word "it" nor the word "time" of the phrase alone.
    expect(yield* find(tenant, "Is it cleaned on Mondays?")).toEqual([coffee.text])
    expect(yield* find(tenant, "vacation")).toEqual([vacation.text])
  })
})
