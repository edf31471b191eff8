import { Effect } from "effect"
import { kinds, makeGoods, openShop, tell, testOf } from "./Shop.ts"

const GOODS = 200
const CHANGED = 77
/** Tests of the second tier, half of which expect what a line of the prompt asks for. */
const OF_MODEL = 40
const line = "End each answer with the words: Ask us again."

/** What the fake model says: it obeys the line where the prompt has it. */
const answered = (body: string) => `The shop answers.${body.includes(line) ? " Ask us again." : ""}`

/**
 * `bun run bench loop detection`, with `DATABASE_URL`: which tests turn when a fact, a line of the prompt, or the search
 * changes. Each fault is one of those that happen: a document that is corrected, one that is added, a prompt that loses a
 * line, and a new version that overlooks a fifth of the passages.
 */
export const run = async (): Promise<void> => {
  const { providerAnswering } = await import("../../lib/FakeProvider.ts")
  const { fakeKey, says } = await import("../../lib/FakeAnthropic.ts")
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const provider = yield* providerAnswering(({ body }) => says(answered(body)))
        const goods = makeGoods(GOODS)
        const tests = goods.flatMap((good, index) => [
          testOf(good, kinds[index % kinds.length] ?? "price"),
          ...(index % 4 === 0 || index === CHANGED ? [testOf(good, "price")] : []),
        ])
        const shop = yield* openShop(goods, { ANTHROPIC_API_KEY: fakeKey, ANTHROPIC_BASE_URL: provider.url })
        const all = Array.from(new Map(tests.map((test) => [test.question, test])).values())
        yield* shop.addTests(all)
        const first = yield* shop.make()
        tell(
          `${all.length} tests of ${GOODS} documents: ${first.run.counts.passed} pass, ${first.seconds.toFixed(2)} s`,
        )

        const good = goods[CHANGED] ?? goods[0]!
        const changed = { ...good, facts: { ...good.facts, price: "4321 euros" } }
        const report = Effect.fnUntraced(function* (
          what: string,
          { run, seconds }: Effect.Success<typeof shop.afterChange>,
          expected: (question: string) => boolean,
          client = shop.client,
        ) {
          const results = run === undefined ? [] : Array.from((yield* shop.results(client, run.id)).values())
          const turned = results.filter(({ change }) => change !== "same" && change !== null)
          const wrong = turned.filter(({ question }) => !expected(question))
          const count = (kind: string) => results.filter(({ change }) => change === kind).length
          tell(
            `${what}: run anew ${results.length}, worse ${count("worse")}, better ${count("better")}, different ${count("different")}, wrongly ${wrong.length}; ${seconds.toFixed(2)} s`,
          )
          return turned
        })
        const isOfGood = (question: string) => question.includes(good.name)

        yield* shop.rewrite(changed)
        yield* report("A fact changed in one document", yield* shop.afterChange, isOfGood)
        yield* shop.rewrite(good)
        yield* report("The fact as it was", yield* shop.afterChange, isOfGood)
        yield* shop.learn({ "opening.md": "# Opening hours\n\nThe shop opens at nine, except on Sundays.\n" })
        yield* report("Another document added", yield* shop.afterChange, () => false)

        yield* Effect.promise(async () => {
          await shop.client.patch(`/api/external/chatbots?id=${shop.chatbot}`, {
            json: { settings: { model: "claude-sonnet-5-5", prompt: `You help customers.\n${line}` } },
          })
        })
        yield* report("The model became another", yield* shop.afterChange, () => false)
        yield* shop.addTests(
          Array.from({ length: OF_MODEL }, (_, index) => ({
            question: `Question ${index} to the model?`,
            expectations: { say: [{ kind: "words", value: index % 2 === 0 ? "Ask us again" : "The shop answers" }] },
            tags: ["model"],
          })),
        )
        const model = yield* shop.make({ tier: "model", tags: ["model"] })
        tell(`${OF_MODEL} tests with the model: ${model.run.counts.passed} pass, ${model.seconds.toFixed(2)} s`)
        yield* Effect.promise(() =>
          shop.client.patch(`/api/external/chatbots?id=${shop.chatbot}`, {
            json: { settings: { prompt: "You help customers." } },
          }),
        )
        const { is_outdated } = yield* shop.runs(shop.client)
        const again = yield* shop.make({ tier: "model", tags: ["model"] })
        const turned = yield* report(`A line of the prompt removed (outdated: ${is_outdated})`, again, () => true)
        const wrongly = turned.filter(
          ({ question, change }) => change === "worse" && Number(/\d+/.exec(question)?.[0]) % 2 !== 0,
        )
        tell(`  worse although they do not expect the line: ${wrongly.length}`)

        yield* Effect.promise(() =>
          shop.client.patch(`/api/external/chatbots?id=${shop.chatbot}`, {
            json: { settings: { model: "local/extractive" } },
          }),
        )
        yield* shop.make()
        for (const [what, share] of [
          ["A new version that searches alike", "1"],
          ["A new version that overlooks a fifth of the passages", "5"],
        ] as const) {
          const begin = performance.now()
          const { client, server } = yield* shop.start(["test/bench/loop/FaultyServer.ts", share])
          yield* Effect.sleep("50 millis").pipe(
            Effect.andThen(shop.runs(client)),
            Effect.repeat({
              until: ({ data }) =>
                data[0]?.trigger === "version" &&
                data[0].ended_at !== null &&
                data[0].server_version?.endsWith(share === "1" ? "same" : "fault") === true,
            }),
          )
          const [run] = (yield* shop.runs(client)).data
          yield* report(what, { run, seconds: (performance.now() - begin) / 1_000 }, () => share === "5", client)
          const said = server.stderr() + server.stdout()
          tell(`  log: ${said.split("\n").find((one) => one.includes("this version")) ?? "nothing"}`)
        }
      }),
    ),
  )
}
