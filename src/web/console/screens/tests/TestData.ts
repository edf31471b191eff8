import { useEffect } from "preact/hooks"
import { formatCount } from "../../../shared/Format.ts"
import { lastRunOf } from "../../data/Chatbots.ts"
import { type Answer, call } from "../../server/Api.ts"
import { lists, pageAfter, resources } from "../../server/Resource.ts"
import { keysOf } from "../../server/Unknown.ts"

/*
 * Tests of a chatbot and their runs as the API shows them, and the words for their states.
 */

const tests = "/api/external/chatbot/:chatbotId/tests"
const runs = "/api/external/chatbot/:chatbotId/test-runs"

export type Test = Answer<`GET ${typeof tests}`>["data"][number]
export type TestRun = Answer<`GET ${typeof runs}`>["data"][number]
export type TestResult = Answer<`GET ${typeof runs}/:runId/results`>["data"][number]
export type TestTier = TestRun["tier"]

export const fetchTests = async (page: string | undefined, chatbotId: string, search: string, tag: string) => {
  const query = { page, limit: "100", query: search || undefined, tag: tag || undefined }
  const { data, metadata, tags } = await call(`GET ${tests}`, { params: { chatbotId }, query })
  return { items: data, tags, total: metadata.totalCount, next: pageAfter(metadata) }
}

export const testsOf = lists(fetchTests)

export const runsOf = lists(async (page, chatbotId: string) => {
  const query = { page, limit: "30" }
  const { data, is_outdated, metadata } = await call(`GET ${runs}`, { params: { chatbotId }, query })
  // The navigation shows it as well.
  if (page === undefined) lastRunOf(chatbotId).set(data[0] ?? null)
  return { items: data, isOutdated: is_outdated === true, next: pageAfter(metadata) }
})

export const runOf = resources(
  async (chatbotId: string, runId: string) => (await call(`GET ${runs}/:runId`, { params: { chatbotId, runId } })).run,
)

/** The results of a run that a list can be narrowed to. */
export const resultKinds = { all: "All", worse: "Worse", failed: "Failed", better: "Better", different: "Different" }
export type ResultKind = keyof typeof resultKinds

/** Results of a run, those that got worse first. */
export const resultsOf = lists(async (page, chatbotId: string, runId: string, kind: ResultKind) => {
  const query = { page, limit: "50", only: kind === "all" ? undefined : kind }
  const { data, metadata } = await call(`GET ${runs}/:runId/results`, { params: { chatbotId, runId }, query })
  return { items: data.map((result) => ({ ...result, id: result.test_id })), next: pageAfter(metadata) }
})

export const outcomeWords = {
  passed: { word: "Passed", kind: "good" },
  failed: { word: "Failed", kind: "bad" },
  error: { word: "Not run", kind: "warn" },
} as const

/** Words for a change of a result. One that is the same has none. */
export const changeWords = {
  worse: { word: "Worse", kind: "bad" },
  better: { word: "Better", kind: "good" },
  different: { word: "Different", kind: "warn" },
  same: undefined,
} as const

export const statusWords = {
  queued: { word: "Waiting", kind: "busy" },
  running: { word: "Running", kind: "busy" },
  finished: { word: "Finished", kind: "good" },
  stopped: { word: "Stopped", kind: "plain" },
  failed: { word: "Failed", kind: "bad" },
} as const

/** The state of a run, which is no good one where tests have failed. */
export const stateOf = ({ counts, status }: Pick<TestRun, "counts" | "status">) =>
  status !== "finished" || counts.failed + counts.worse + counts.errors === 0
    ? statusWords[status]
    : ({ word: "Finished", kind: counts.failed + counts.worse > 0 ? "bad" : "warn" } as const)

export const tierWords: Readonly<Record<TestTier, string>> = { search: "Search only", model: "With the model" }

export const triggerWords: Readonly<Record<TestRun["trigger"], string>> = {
  manual: "Started by hand",
  schedule: "Started by schedule",
  change: "Started by a change",
  version: "Started by an upgrade",
}

const countWords = {
  worse: "worse",
  failed: "failed",
  errors: "not run",
  better: "better",
  different: "different",
  passed: "passed",
  untouched: "untouched by changes",
} as const

/** The numbers of a run that are not zero in few words, such as `2 worse, 3 failed, 95 passed`. */
export const countsText = ({ counts }: Pick<TestRun, "counts">): string =>
  keysOf(countWords)
    .flatMap((name) => (counts[name] === 0 ? [] : [`${formatCount(counts[name])} ${countWords[name]}`]))
    .join(", ") || "No tests"

const LOOK_MILLIS = 1_000

/** Looks again a second after each answer while a run goes on and the page is seen, and once when it has ended. */
export const useProgress = (isRunning: boolean, look: () => Promise<unknown>): void =>
  useEffect(() => {
    if (!isRunning) return undefined
    let isWatched = true
    const watch = async (): Promise<void> => {
      while (isWatched) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MILLIS))
        // One at a time: an answer counts only while no later one is awaited.
        if (isWatched && !document.hidden) await look()
      }
    }
    void watch()
    return () => {
      isWatched = false
      void look()
    }
  }, [isRunning, look])
