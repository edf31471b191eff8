import { Square } from "lucide"
import { useCallback } from "preact/hooks"
import { plural } from "../../../shared/Format.ts"
import { lastRunOf } from "../../data/Chatbots.ts"
import { Button } from "../../parts/Buttons.tsx"
import { Ago, LoadedList, LoadedPage, Page, Tabs } from "../../parts/Layout.tsx"
import { durationOf, isGoingOn } from "../../parts/Runs.tsx"
import { bindOption, href } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { useVersion } from "../sources/Pages.tsx"
import { RunState } from "./Runs.tsx"
import {
  type ResultKind,
  resultKinds,
  resultsOf,
  runOf,
  type TestRun,
  tierWords,
  triggerWords,
  useProgress,
} from "./TestData.ts"
import { ResultRow } from "./TestResults.tsx"

const stop = async ({ chatbot_id: chatbotId, id: runId }: TestRun): Promise<void> => {
  const route = "POST /api/external/chatbot/:chatbotId/test-runs/:runId/stop"
  const { run } = await call(route, { params: { chatbotId, runId } })
  runOf(chatbotId, runId).set(run)
}

/** A run in few words. */
const factsOf = (run: TestRun): ReadonlyArray<string> => [
  tierWords[run.tier],
  triggerWords[run.trigger],
  ...run.tags,
  durationOf(run),
  ...(run.tier === "model" ? [plural(run.tokens_used, "token")] : []),
]

const Results = ({ run }: { readonly run: TestRun }) => {
  const { chatbot_id: chatbotId, counts, id: runId } = run
  const kind = bindOption<ResultKind>("show", resultKinds, "all")
  const list = useVersion(resultsOf(chatbotId, runId, kind.value), JSON.stringify([run.status, counts.done]))
  return (
    <>
      <Tabs label="Show" {...kind} options={resultKinds} />
      {counts.untouched > 0 && (
        <p class="soft">
          {`${plural(counts.untouched, "test")} that no change touched ${counts.untouched === 1 ? "was" : "were"} not run anew, and counted with the result of before: `}
          <a class="inline" href={href("tests", { chatbotId })}>
            all tests
          </a>
          .
        </p>
      )}
      <LoadedList of={list}>
        {({ items }) => (
          <>
            {items.length === 0 && !isGoingOn(run) && (
              <p class="soft">{kind.value === "all" ? "No test was run anew." : "No such results."}</p>
            )}
            <ul class="box rows tree" aria-label="Results">
              {items.map((result) => (
                <ResultRow key={result.id} result={result} />
              ))}
            </ul>
          </>
        )}
      </LoadedList>
    </>
  )
}

const TestRunScreen = ({ chatbotId, runId }: { readonly chatbotId: string; readonly runId: string }) => {
  const resource = useResource(runOf(chatbotId, runId))
  const look = useCallback(() => Promise.all([resource.reload(), lastRunOf(chatbotId).reload()]), [chatbotId, resource])
  useProgress(isGoingOn(resource.data.value), look)
  return (
    <LoadedPage title="Test run" of={resource}>
      {(run) => (
        <Page
          title="Test run"
          about={
            <>
              <a class="inline" href={href("tests", { chatbotId })}>
                Tests
              </a>{" "}
              · {factsOf(run).join(" · ")} · <Ago at={run.created_at} />
            </>
          }
          actions={
            isGoingOn(run) &&
            can("chatbots:write") && (
              <Button icon={Square} onClick={() => stop(run)}>
                Stop
              </Button>
            )
          }
        >
          <div aria-live="polite">
            <RunState run={run} />
          </div>
          <Results run={run} />
        </Page>
      )}
    </LoadedPage>
  )
}

export default TestRunScreen
