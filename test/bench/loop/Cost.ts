import { Effect, Fiber } from "effect"
import { summary } from "../lib/Quantiles.ts"
import { kinds, makeGoods, openShop, tell, testOf } from "./Shop.ts"

const GOODS = 200
const ROUNDS = 8
/** Chats a second, at a steady rate. */
const RATE = 30

/**
 * `bun run bench loop cost`, with `DATABASE_URL`: how long 1,000 tests of the first tier take, all anew and untouched,
 * and how long chats of the same server take meanwhile and alone. The number of rounds may follow, such as `cost 3`.
 */
export const run = async ([rounds = String(ROUNDS)]: ReadonlyArray<string>): Promise<void> => {
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const goods = makeGoods(GOODS)
        const shop = yield* openShop(goods, { LOG_LEVEL: "warn" })
        const tests = goods.flatMap((good) => kinds.map((kind) => testOf(good, kind)))
        yield* shop.addTests(tests)
        const first = yield* shop.make()
        const untouched = yield* shop.make()
        tell(
          `${tests.length} tests, alone: ${first.seconds.toFixed(2)} s anew, ${untouched.seconds.toFixed(2)} s untouched`,
        )

        /** Chats at a steady rate until `end` is over, and returns their milliseconds. */
        const chats = (end: Promise<unknown>) =>
          Effect.promise(async () => {
            const times: Array<number> = []
            const underWay: Array<Promise<void>> = []
            let isOver = false
            void end.finally(() => (isOver = true))
            const begin = performance.now()
            for (let count = 0; !isOver; count++) {
              const content = tests[(count * 7) % tests.length]?.question ?? ""
              const sent = performance.now()
              underWay.push(
                shop.client
                  .post(`/api/external/chatbot/${shop.chatbot}/chat`, {
                    json: { messages: [{ role: "user", content }] },
                  })
                  .then(({ status, text }) => {
                    if (status >= 300) throw new Error(text)
                    times.push(performance.now() - sent)
                  }),
              )
              await Bun.sleep(Math.max(0, begin + ((count + 1) * 1_000) / RATE - performance.now()))
            }
            await Promise.all(underWay)
            return times
          })
        yield* chats(Bun.sleep(3_000))
        const alone: Array<number> = []
        const beside: Array<number> = []
        const taken: Array<number> = []
        for (let round = 0; round < Number(rounds); round++) {
          yield* Effect.promise(() => shop.sql`update tests set version = version + 1`)
          yield* Effect.promise(() => shop.sql`delete from test_queue`)
          const running = yield* Effect.forkChild(shop.make(), { startImmediately: true })
          beside.push(...(yield* chats(new Promise<void>((resolve) => running.addObserver(() => resolve())))))
          const { run, seconds } = yield* Fiber.join(running)
          if (run.counts.done !== tests.length || run.counts.untouched > 0) throw new Error(JSON.stringify(run))
          taken.push(seconds)
          alone.push(...(yield* chats(Bun.sleep(seconds * 1_000))))
        }
        tell(
          `${tests.length} tests beside ${RATE} chats a second: ${taken.map((seconds) => seconds.toFixed(1)).join(", ")} s`,
        )
        tell(`chats alone:  ${summary(alone)} (${alone.length})`)
        tell(`chats beside: ${summary(beside)} (${beside.length})`)
      }),
    ),
  )
}
