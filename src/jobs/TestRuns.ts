import { Array, Context, Duration, Effect, Record, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import manifest from "../../package.json" with { type: "json" }
import { type BudgetSpent, type TooManyChats, Unavailable } from "../domain/Errors.ts"
import type { TestId } from "../domain/evaluation/ChatbotTest.ts"
import { TestCounts, type TestRun } from "../domain/evaluation/TestRun.ts"
import { Service } from "../domain/Service.ts"
import { changeSince } from "../evaluation/Comparison.ts"
import { type Execution, TestExecution } from "../evaluation/TestExecution.ts"
import { isLocal } from "../evaluation/TestSearch.ts"
import { type ChatbotRow, Chatbots } from "../storage/chatbots/Chatbots.ts"
import { setupOf } from "../storage/chatbots/ChatbotSetups.ts"
import { type TestJob, TestQueue, type WaitingTest } from "../storage/evaluation/TestQueue.ts"
import { persistently } from "../system/Background.ts"
import { currentMonotonicMillis } from "../system/Monotonic.ts"
import { LEASE, LeaseLost, makeWorker, type Verdict } from "./Worker.ts"

const defaultBounds = {
  /** Runs that this process works on at once. Most of the time of the second tier is waiting for models. */
  concurrency: 4,
  /** Attempts at a run that a fault of the server ends, before it is given up. */
  attempts: 3,
  /** Attempts that end with their process. */
  lapses: 50,
  lease: LEASE,
  /** The pause after a search and its checks, as a multiple of their time, so that chats wait for few of them. */
  pause: 1,
  version: manifest.version,
}
export type TestRunBounds = Readonly<typeof defaultBounds>
export const TestRunBounds: Context.Reference<TestRunBounds> = Context.Reference<TestRunBounds>(
  "parley/jobs/TestRunBounds",
  { defaultValue: () => defaultBounds },
)

/** Tests that are read at once. */
const PAGE_SIZE = 50
/** The longest wait for a budget that chats have reserved: a longer one ends the run. */
const RESERVED_MAX_SECONDS = 60

const noCounts: TestCounts = Record.map(TestCounts.fields, () => 0)

/** The run ends early, for a reason that is no fault. */
type Stop = Pick<TestRun, "error" | "status">

/**
 * Runs the tests of chatbots, one run after the other for each of them. It works in the background as long as the layer
 * lives; several processes share one queue.
 */
export class TestRuns extends Service<TestRuns>()("parley/jobs/TestRuns", function* () {
  const bounds = yield* TestRunBounds
  const { version } = bounds
  const lease = Duration.fromInputUnsafe(bounds.lease)
  const queue = yield* TestQueue
  const chatbots = yield* Chatbots
  const execution = yield* TestExecution
  const random = yield* SecureRandom.SecureRandom
  /** Searches and the model that costs nothing take the processor, of which chats have the most. */
  const processor = yield* Semaphore.make(1)

  const paced = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const begin = yield* currentMonotonicMillis
      const result = yield* work
      const taken = (yield* currentMonotonicMillis) - begin
      yield* Effect.sleep(Duration.millis(Math.ceil(taken * bounds.pause)))
      return result
    }).pipe(processor.withPermit)

  type Run = NonNullable<Effect.Success<ReturnType<typeof queue.begin>>>

  /** Runs one test. Returns its outcome, without a result where it is untouched. */
  const runOne = Effect.fnUntraced(function* (job: TestJob, run: Run, chatbot: ChatbotRow, test: WaitingTest) {
    const isVersion = job.trigger === "version"
    const { free, found, isSame } = yield* paced(
      Effect.gen(function* () {
        const found = yield* execution.search(chatbot, test)
        const isSame = test.outcome !== null && test.fingerprint === found.fingerprint
        // A new version may answer otherwise from what is found as before.
        const isFree = run.tier === "search" && (!isSame || isVersion)
        return { found, isSame, free: isFree ? yield* execution.withoutModel(chatbot, test, found) : undefined }
      }),
    )
    if (run.tier === "search" && free === undefined) return { outcome: test.outcome, result: undefined }
    const payer = {
      organizationId: job.organization_id,
      chatbotId: job.chatbot_id,
      apiKeyId: run.api_key_id,
      budgets: run.budgets,
    }
    const executed: Execution = free ?? (yield* execution.withModel(chatbot, test, found, run.plan, payer))
    const { outcome } = executed
    const before = test.outcome === null || outcome === "error" ? undefined : yield* queue.before(test, run.tier)
    const change =
      before === undefined || outcome === "error"
        ? null
        : changeSince(before, { ...executed, outcome }, run.tier === "model" || isLocal(chatbot))
    if (isVersion && change === "same" && isSame) return { outcome, result: undefined }
    return { outcome, result: { test, change, fingerprint: found.fingerprint, ...executed } }
  })

  const worker = yield* makeWorker({
    name: "Tests",
    labels: ({ chatbot_id }: TestJob) => ({ chatbot_id }),
    queue: { claim: queue.claim(version), release: queue.release, releaseAll: queue.releaseAll },
    concurrency: bounds.concurrency,
    lease,
    untilDue: queue.untilDue(version),
    attempt: (job, showSoon, untilStopped) => {
      let begun: Run | undefined
      let counts = noCounts

      const runAll = Effect.fnUntraced(function* (run: Run, chatbot: ChatbotRow) {
        const { counts: stored, ids } = yield* queue.waiting(job, run.id, run.tags)
        counts = { ...noCounts, ...stored, total: ids.length + stored.done }
        const add = (...kinds: ReadonlyArray<keyof TestCounts>) => {
          for (const kind of kinds) counts = { ...counts, [kind]: counts[kind] + 1 }
        }
        let tokens = run.tokens_used
        let lastError = ""
        const runPage = Effect.fnUntraced(function* (some: ReadonlyArray<TestId>) {
          const tests = yield* queue.tests(job, some, run.tier)
          counts = { ...counts, total: counts.total - (some.length - tests.length) }
          for (const test of tests) {
            if (run.tier === "model" && tokens >= run.plan.tokens_max) return yield* Effect.fail(tokensSpent)
            const { outcome, result } = yield* runOne(job, run, chatbot, test)
            if (result !== undefined) {
              yield* queue.store(job, run.id, run.tier, result)
              tokens += result.tokens
              lastError = result.details.error ?? lastError
            }
            const change = result?.change
            add(
              "done",
              ...(result === undefined ? (["untouched"] as const) : []),
              outcome === "passed" ? "passed" : outcome === "failed" ? "failed" : "errors",
              ...(change === undefined || change === null || change === "same" ? [] : [change]),
            )
            showSoon()
          }
        })
        yield* Effect.forEach(Array.chunksOf(ids, PAGE_SIZE), runPage, { discard: true })
        const { errors, total } = counts
        return errors > 0 && errors === total ? failed("gave_up", `No test could be run. ${lastError}`) : finished
      })

      const work = Effect.gen(function* () {
        const chatbot = yield* chatbots.get(job.chatbot_id)
        const facts = { setup_hash: setupOf(chatbot).hash, server_version: version }
        const run = yield* queue.begin(job, yield* random.uuidV7(), facts)
        if (run === undefined) return yield* new LeaseLost()
        begun = run
        if (run.is_stopping) return stopped
        const all = Effect.catchTags(runAll(run, chatbot), { BudgetSpent: ofBudget, TooManyChats: waits })
        return yield* Effect.raceFirst(
          Effect.catchIf(all, isStop, (stop) => Effect.succeed(stop)),
          Effect.as(untilStopped, stopped),
        )
      })
      return {
        work,
        renew: Effect.suspend(() => queue.renew(job, begun?.id, { counts }, lease)),
        finish: Effect.fnUntraced(function* (stop: Stop) {
          // Runs by themselves that show nothing new would hide those that do.
          const isForgotten = counts.total === 0 || (job.trigger === "change" && counts.untouched === counts.total)
          const isEnded = yield* queue.end(job, isForgotten && stop === finished ? "forgotten" : { ...stop, counts })
          if (isEnded && job.trigger === "version") yield* reportVersion(version, counts)
          return isEnded
        }),
      }
    },
    judge: (): Verdict<string> => ({ is: "gone" }),
    givingUp: {
      ...bounds,
      ofLapses: ({ lapses }) => `The run was cut off ${lapses} times.`,
      ofDefect: "The tests could not be run. The server's log says why.",
      giveUp: queue.giveUp,
    },
  })
  yield* Effect.forkScoped(worker.run)
  yield* Effect.forkScoped(
    Effect.andThen(persistently("Tests of the new version wait", queue.queueVersion(version)), (queued) =>
      queued === 0 ? Effect.void : worker.nudge,
    ),
  )

  return {
    /** Wakes the worker, because a run was queued. */
    nudge: worker.nudge,
  }
}) {}

const finished: Stop = { status: "finished", error: null }
const stopped: Stop = { status: "stopped", error: null }
const failed = (code: "budget_spent" | "gave_up", message: string): Stop => ({
  status: "failed",
  error: { code, message },
})
const tokensSpent = failed("budget_spent", "The run has used the tokens that the plan of the tests allows.")

const isStop = (error: unknown): error is Stop => error === tokensSpent

/** Ends a run whose budget is spent for the day. What chats have reserved is soon free. */
const ofBudget = (failure: BudgetSpent) =>
  failure.retry_after_seconds <= RESERVED_MAX_SECONDS
    ? waits(failure)
    : Effect.succeed(failed("budget_spent", failure.detail))

const waits = ({ detail, retry_after_seconds }: BudgetSpent | TooManyChats) =>
  Effect.fail(new Unavailable({ detail, retry_after_seconds }))

/** Says what the search of a new version does to the tests of a chatbot. */
const reportVersion = (version: string, { better, different, failed, total, untouched, worse }: TestCounts) => {
  const facts = { version, tests: total, worse, better, different, failed, same: untouched }
  return worse > 0
    ? Effect.logWarning("Tests of a chatbot are worse with this version", facts)
    : Effect.logInfo("The tests of a chatbot were run with this version", facts)
}
