import { FlaskConical } from "lucide"
import { formatCompact, plural } from "../../../shared/Format.ts"
import { chatbotResource } from "../../data/Chatbots.ts"
import { FormDialog, openDialog } from "../../parts/Dialogs.tsx"
import { Ago, Empty, LoadedList } from "../../parts/Layout.tsx"
import { RunProgress } from "../../parts/Runs.tsx"
import { Table } from "../../parts/Table.tsx"
import { href, navigate } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { fetchPlan } from "./PlanDialog.tsx"
import {
  countsText,
  fetchTests,
  runsOf,
  stateOf,
  type TestRun,
  type TestTier,
  tierWords,
  triggerWords,
} from "./TestData.ts"

/*
 * Runs of a chatbot's tests: how they begin, and how they went.
 */

export const RunState = ({ run }: { readonly run: TestRun }) => {
  const found = run.error?.message ?? countsText(run)
  return <RunProgress {...{ found, run }} {...run.counts} state={stateOf(run)} label="Tests run" noun="test" />
}

export const RunTable = ({ chatbotId }: { readonly chatbotId: string }) => (
  <LoadedList
    of={runsOf(chatbotId)}
    empty={
      <Empty icon={FlaskConical} title="No runs yet">
        A run asks all questions, and compares the answers with those of the run before.
      </Empty>
    }
  >
    {({ items }) => (
      <Table
        label="Runs"
        grows
        rows={items}
        columns={[
          {
            title: "Run",
            kind: "main",
            cell: ({ created_at, id }) => (
              <a href={href("testRun", { chatbotId, runId: id })}>
                <Ago at={created_at} />
              </a>
            ),
          },
          { title: "Result", cell: (run) => <RunState run={run} /> },
          { title: "Kind", isExtra: true, cell: ({ tier }) => tierWords[tier] },
          { title: "Cause", isExtra: true, cell: ({ trigger }) => triggerWords[trigger] },
        ]}
      />
    )}
  </LoadedList>
)

/** Starts a run, of the tests with the tag where there is one, and goes to it. */
export const run = async (chatbotId: string, tier: TestTier, tag: string): Promise<void> => {
  const body = { tier, ...(tag !== "" && { tags: [tag] }) }
  const { run: started } = await call("POST /api/external/chatbot/:chatbotId/test-runs", {
    params: { chatbotId },
    body,
  })
  await navigate(href("testRun", { chatbotId, runId: started.id }))
}

/** Says what a run with the model costs before it begins. */
export const runWithModel = async (chatbotId: string, tag: string): Promise<void> => {
  const [{ repeats, tokens_max: most }, { total: count }] = await Promise.all([
    fetchPlan(chatbotId),
    fetchTests(undefined, chatbotId, "", tag),
  ])
  const model = chatbotResource(chatbotId).data.peek()?.chatbot.settings.model ?? "the chatbot's model"
  const last = runsOf(chatbotId)
    .data.peek()
    ?.items.find(({ status, tier }) => tier === "model" && status === "finished")
  openDialog(
    <FormDialog title="Run with the model" action="Run" onSubmit={() => run(chatbotId, "model", tag)}>
      <div class="prose">
        <p>
          {`${plural(count * repeats, "answer")} of ${model} to ${plural(count, "test")}${tag === "" ? "" : ` with the tag “${tag}”`}, paid with tokens unless the model runs on this server. The run ends after ${formatCompact(most)} tokens at the latest.`}
        </p>
        {last !== undefined && (
          <p>
            {`The last run with the model used ${formatCompact(last.tokens_used)} tokens for ${plural(last.counts.total, "test")}.`}
          </p>
        )}
      </div>
    </FormDialog>,
  )
}
