import { Config, Console, Context, Duration, Effect, Predicate, Redacted, Schedule } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { TestRunsApi } from "../api/evaluation/TestRuns.ts"
import type { TestDetails, TestResult, TestRun, TestRunId } from "../domain/evaluation/TestRun.ts"
import { Conflict } from "../domain/Errors.ts"
import { ChatbotId } from "../domain/Ids.ts"
import { printable } from "../system/Printable.ts"
import { StartupError } from "../system/StartupError.ts"
import { PARLEY_API_KEY, PARLEY_URL } from "../system/Variables.ts"
import { decodedBy } from "./Arguments.ts"

/*
 * Runs the tests of a chatbot on a running server, for the continuous integration of those who change the chatbot.
 */

class Api extends HttpApi.make("parley").add(TestRunsApi) {}

const clientOf = (url: string, key: Redacted.Redacted) =>
  HttpApiClient.make(Api, {
    baseUrl: url,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-api-key", Redacted.value(key))),
  })

/** The exit code where the tests could not be run. */
const NOT_RUN = 2
/** The most results of a kind that are shown. */
const SHOWN_MAX = 100
/** The longest answer that is shown, in UTF-16 code units. */
const ANSWER_LENGTH = 300

/** The pause between two looks at a run that is under way. */
export const RunPause = Context.Reference<Duration.Duration>("parley/cli/RunPause", {
  defaultValue: () => Duration.seconds(1),
})

const notRun = (what: string, doThis: string) => new StartupError({ what, doThis, exitCode: NOT_RUN })

/** The reason for which the server refuses a request, or why it cannot be asked. */
const refusal = (error: unknown) =>
  Predicate.hasProperty(error, "detail") && typeof error.detail === "string"
    ? notRun(error.detail, "See the chatbot's id, and the API key with its scopes.")
    : notRun("The server cannot be asked.", `See that ${PARLEY_URL} or --url is its address, and that it runs.`)

const isUnderWay = ({ status }: TestRun) => status === "queued" || status === "running"

interface Request {
  readonly chatbot: ChatbotId
  readonly tier: TestRun["tier"]
  readonly tags: ReadonlyArray<string>
}

/** Runs the tests, once a run that is under way has ended, and returns the run with results that are worse or failed. */
const run = Effect.fn(function* (url: string, key: Redacted.Redacted, { chatbot, tags, tier }: Request) {
  const { testRuns } = yield* clientOf(url, key)
  const pause = yield* RunPause
  const params = { chatbotId: chatbot }
  const ended = (runId: TestRunId) =>
    testRuns.getTestRun({ params: { ...params, runId } }).pipe(
      Effect.map((answer) => answer.run),
      Effect.retry({ schedule: Schedule.spaced(pause), times: 30, while: isPassing }),
      Effect.repeat({ schedule: Schedule.spaced(pause), while: isUnderWay }),
    )
  const othersEnded = Effect.gen(function* () {
    const [latest] = (yield* testRuns.listTestRuns({ params, query: { limit: 1 } })).data
    if (latest === undefined || !isUnderWay(latest)) return false
    yield* Console.error("parley: Waiting for a run that is under way.")
    yield* ended(latest.id)
    return true
  })
  const started = yield* testRuns.startTestRun({ params, payload: { tier, ...(tags.length > 0 && { tags }) } }).pipe(
    Effect.retry({
      while: (error) => (error instanceof Conflict ? othersEnded : Effect.succeed(false)),
    }),
  )
  const ending = yield* ended(started.run.id)
  const results = yield* Effect.forEach(["worse", "failed"] as const, (only) =>
    testRuns.listTestResults({ params: { ...params, runId: ending.id }, query: { limit: SHOWN_MAX, only } }),
  )
  const shown = new Map(results.flatMap(({ data }) => data).map((result) => [result.test_id, result]))
  return { run: ending, results: Array.from(shown.values()) }
})

/** Whether a request may succeed a little later, such as while the server starts anew. */
const isPassing = (error: unknown) =>
  !Predicate.hasProperty(error, "detail") || Predicate.hasProperty(error, "retry_after_seconds")

export const testCommand = Command.make(
  "test",
  {
    chatbot: Argument.String("chatbot").pipe(
      Argument.withDescription("Id of the chatbot"),
      Argument.filterMap(...decodedBy(ChatbotId, "the id of a chatbot, a UUID")),
    ),
    url: Flag.String("url").pipe(
      Flag.withDescription(`Address of the server. Default: ${PARLEY_URL}`),
      Flag.withFallbackConfig(Config.String(PARLEY_URL)),
    ),
    key: Flag.Redacted("key").pipe(
      Flag.withDescription(
        `API key with all read scopes and chatbots:write, and chat for models. Default: ${PARLEY_API_KEY}`,
      ),
      Flag.withFallbackConfig(Config.Redacted(PARLEY_API_KEY)),
    ),
    tier: Flag.Literals("tier", ["search", "model"]).pipe(
      Flag.withDescription("`search` costs nothing; `model` asks the chatbot's model, too"),
      Flag.withDefault("search"),
    ),
    tags: Flag.String("tag").pipe(Flag.withDescription("Only tests with this tag, or one of these"), Flag.atLeast(0)),
    failOn: Flag.Literals("fail-on", ["failed", "worse"]).pipe(
      Flag.withDescription("End with 1 when a test has failed, or only when one is worse than before"),
      Flag.withDefault("failed"),
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ failOn, json, key, url, ...request }) {
    const outcome = yield* run(url, key, request).pipe(Effect.mapError(refusal), Effect.provide(FetchHttpClient.layer))
    const { counts, error, status } = outcome.run
    yield* json
      ? Console.log(JSON.stringify(outcome))
      : Effect.forEach(linesOf(outcome.run, outcome.results), (line) => Console.log(line))
    if (status !== "finished") {
      return yield* notRun(`The run has ${status}. ${error?.message ?? ""}`.trim(), "Its results are not complete.")
    }
    const count = failOn === "failed" ? counts.failed : counts.worse
    if (count > 0) {
      const what = failOn === "failed" ? "failed" : "worse than before"
      return yield* new StartupError({ what: `${count} of ${counts.total} tests: ${what}.`, doThis: "See above." })
    }
    if (counts.errors > 0) {
      return yield* notRun(`${counts.errors} of ${counts.total} tests could not be run.`, "See the run in the console.")
    }
  }),
).pipe(
  Command.withDescription(
    "Run the tests of a chatbot on a running server; ends with 0 when all is well, 1 when tests have failed or are worse, and 2 when they cannot be run",
  ),
)

/** A run and its results as lines of text. */
const linesOf = ({ counts, tier }: TestRun, results: ReadonlyArray<TestResult>): ReadonlyArray<string> => {
  const { better, different, errors, failed, passed, total, untouched, worse } = counts
  const rest = Math.max(worse, failed) - results.length
  return [
    `${total} tests (${tier}): ${passed} passed, ${failed} failed, ${errors} not run; ${worse} worse, ${better} better, ${different} different, ${untouched} untouched`,
    ...results.flatMap(({ before, change, outcome, question, ...now }) => [
      "",
      `${outcome}${change === null ? "" : `, ${change}`}: ${text(question)}`,
      ...missed(now).map((line) => `  ${line}`),
      ...(before === null ? [] : [`  before: ${answerOf(before)}`]),
      `  now:    ${answerOf(now)}`,
    ]),
    ...(rest > 0 ? ["", `At least ${rest} more are in the console.`] : []),
  ]
}

const text = (given: string): string => {
  const line = printable(given.trim().replaceAll(/\s+/g, " "))
  return line.length > ANSWER_LENGTH ? `${line.slice(0, ANSWER_LENGTH)}…` : line
}

const answerOf = ({ answers, error }: TestDetails): string => text(error ?? answers[0]?.text ?? "(no answer)")

/** What was expected, and is not so. */
const missed = ({ answers, find }: TestDetails): ReadonlyArray<string> => [
  ...find
    .filter(({ passed }) => !passed)
    .map(({ expected, rank }) => {
      const what = [expected.title ?? expected.document_id, expected.contains].filter(Predicate.isNotUndefined)
      return `not found${rank === null ? "" : ` before rank ${rank}`}: ${text(what.join(" | "))}`
    }),
  ...(answers.find(({ passed }) => !passed)?.say ?? [])
    .filter(({ passed }) => !passed)
    .map(({ expected, reason }) => {
      const because = reason === undefined ? "" : ` (${text(reason)})`
      return `${expected.not === true ? "says" : "does not say"} (${expected.kind}): ${text(expected.value)}${because}`
    }),
]
