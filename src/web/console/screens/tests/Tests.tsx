import { Download, FlaskConical, ListFilter, Play, Plus, Settings2, Sparkles, Upload } from "lucide"
import { useCallback } from "preact/hooks"
import { plural } from "../../../shared/Format.ts"
import { chatbotResource } from "../../data/Chatbots.ts"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { SearchField, SelectField } from "../../parts/Field.tsx"
import { Ago, Empty, LoadedList, Page, Tabs } from "../../parts/Layout.tsx"
import { isGoingOn } from "../../parts/Runs.tsx"
import { useShortcuts } from "../../parts/Shortcuts.ts"
import { Table } from "../../parts/Table.tsx"
import { attempt } from "../../parts/Toast.ts"
import { bindOption, bindQuery, href, queryText, useAsked } from "../../Router.ts"
import { call, download } from "../../server/Api.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { keysOf } from "../../server/Unknown.ts"
import { importFile, importWords } from "../sources/Import.tsx"
import { editPlan } from "./PlanDialog.tsx"
import { run, RunState, RunTable, runWithModel } from "./Runs.tsx"
import { runsOf, type Test, testsOf, tierWords, useProgress } from "./TestData.ts"
import { editTest } from "./TestDialog.tsx"
import { ResultState, Tags } from "./TestResults.tsx"

const route = "/api/external/chatbot/:chatbotId/tests"

const views = { tests: "Tests", runs: "Runs" }
const formats = { csv: "CSV", jsonl: "JSONL" } as const

const save = (chatbotId: string, name: string, format: keyof typeof formats): Promise<void> =>
  download(`${name} tests.${format}`, `GET ${route}/export`, {
    params: { chatbotId },
    query: { format },
    headers: { accept: "*/*" },
  })

const remove = ({ chatbot_id: chatbotId, id, question }: Test, onGone: () => unknown): Promise<void> =>
  confirmed(
    { title: "Delete the test?", text: question, action: "Delete" },
    async () => {
      await call(`DELETE ${route}/:testId`, { params: { chatbotId, testId: id } })
      onGone()
    },
    "Test deleted.",
  )

const Outcome = ({ test: { chatbot_id: chatbotId, last_result: last } }: { readonly test: Test }) =>
  last === null ? (
    <span class="soft">Not run yet</span>
  ) : (
    <a class="row" href={href("testRun", { chatbotId, runId: last.run_id })}>
      <ResultState of={last} />
    </a>
  )

/** How the newest run went, and what has changed since. */
const LastRun = ({ chatbotId }: { readonly chatbotId: string }) => {
  const known = runsOf(chatbotId).data.value
  const [last] = known?.items ?? []
  return last === undefined ? null : (
    <div class="stack tight">
      <div class="row spread" aria-live="polite">
        <a href={href("testRun", { chatbotId, runId: last.id })}>Last run</a>
        <RunState run={last} />
        <span class="soft small">
          {tierWords[last.tier]} · <Ago at={last.created_at} />
        </span>
      </div>
      {known?.isOutdated === true && (
        <p class="notice warn">The prompt or the model has changed since the last run with the model.</p>
      )}
    </div>
  )
}

interface TestListProps {
  readonly chatbotId: string
  readonly mayWrite: boolean
  readonly edit: (test: Test) => Promise<void>
}

const TestList = ({ chatbotId, edit, mayWrite }: TestListProps) => {
  const search = bindQuery("search")
  const tag = bindQuery("tag")
  const list = testsOf(chatbotId, search.value, tag.value)
  const { tags = [] } = list.data.value ?? testsOf(chatbotId, "", "").data.value ?? {}
  return (
    <>
      <div class="toolbar row">
        <SearchField label="Search tests" {...search} />
        {tags.length > 0 && (
          <SelectField
            label="Tag"
            labelHidden
            {...tag}
            options={{ "": "All tags", ...Object.fromEntries(tags.map((each) => [each, each])) }}
          />
        )}
      </div>
      <LoadedList of={list} empty={<Empty icon={FlaskConical} title="No matching tests" />}>
        {({ items, total }) => (
          <>
            <Table
              label="Tests"
              grows
              rows={items}
              columns={[
                {
                  title: "Question",
                  kind: "main",
                  cell: (test) =>
                    mayWrite ? (
                      <button type="button" class="link" dir="auto" onClick={() => void attempt(() => edit(test))}>
                        {test.question}
                      </button>
                    ) : (
                      <span dir="auto">{test.question}</span>
                    ),
                },
                { title: "Tags", isExtra: true, cell: (test) => <Tags of={test} /> },
                { title: "Last result", cell: (test) => <Outcome test={test} /> },
              ]}
              actions={(test) =>
                mayWrite && (
                  <Menu
                    label={`Actions for ${test.question}`}
                    items={[changeItem(() => edit(test)), deleteItem(() => remove(test, list.reload))]}
                  />
                )
              }
            />
            <p class="soft small">{plural(total, "test")}.</p>
          </>
        )}
      </LoadedList>
    </>
  )
}

const Tests = ({ chatbotId }: { readonly chatbotId: string }) => {
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  const search = queryText("search")
  const tag = queryText("tag")
  const list = useResource(testsOf(chatbotId, search, tag))
  const runs = useResource(runsOf(chatbotId))
  const view = bindOption("view", views, "tests")
  const look = useCallback(() => Promise.all([runs.reload(), list.reload()]), [runs, list])
  useProgress(isGoingOn(runs.data.value?.items[0]), look)
  const isEmpty = list.data.value?.total === 0 && search === "" && tag === ""
  const mayWrite = can("chatbots:write")
  const edit = (test?: Test): Promise<void> => editTest(chatbotId, list.reload, test)
  const upload = (): void =>
    importFile(".csv,.jsonl,.json,.yaml,.yml", async (body) => {
      const { import: result } = await call(`POST ${route}/import`, { params: { chatbotId }, body })
      await list.reload()
      return importWords(result)
    })
  useAsked("new", () => mayWrite && void attempt(edit))
  useShortcuts([
    { key: "/", label: "Search tests", run: () => document.querySelector<HTMLElement>("[type=search]")?.focus() },
    { key: "n", label: "Add test", run: () => mayWrite && void attempt(edit) },
  ])
  const of = tag === "" ? "" : `: ${tag}`
  return (
    <Page
      title="Tests"
      docs="answers"
      about="Questions, with what must be found for them and what the answer must say."
      actions={
        <>
          {mayWrite && !isEmpty && (
            <>
              <Button icon={Plus} onClick={() => edit()}>
                Add test
              </Button>
              <Menu
                label="Run"
                icon={Play}
                items={[
                  {
                    label: `Search only, free${of}`,
                    icon: ListFilter,
                    onChoose: () => run(chatbotId, "search", tag),
                  },
                  can("chat") && {
                    label: `With the model…${of}`,
                    icon: Sparkles,
                    onChoose: () => runWithModel(chatbotId, tag),
                  },
                ]}
              />
            </>
          )}
          <Menu
            label="More actions"
            items={[
              mayWrite && { label: "Plan…", icon: Settings2, onChoose: () => editPlan(chatbotId) },
              mayWrite && { label: "Import…", icon: Upload, onChoose: upload },
              ...keysOf(formats).map(
                (format) =>
                  !isEmpty && {
                    label: `Export as ${formats[format]}`,
                    icon: Download,
                    onChoose: () => save(chatbotId, chatbot?.name ?? "Chatbot", format),
                  },
              ),
            ]}
          />
        </>
      }
    >
      {isEmpty ? (
        <Empty
          icon={FlaskConical}
          title="No tests yet"
          action={
            mayWrite && (
              <Button kind="primary" icon={Plus} onClick={() => edit()}>
                Add test
              </Button>
            )
          }
        >
          Tests tell you when a change of documents, prompt or model makes an answer worse. Add one, import a file, or
          make one from a reply in a conversation.
        </Empty>
      ) : (
        <>
          <LastRun chatbotId={chatbotId} />
          <Tabs label="View" {...view} options={views} />
          {view.value === "runs" ? <RunTable chatbotId={chatbotId} /> : <TestList {...{ chatbotId, edit, mayWrite }} />}
        </>
      )}
    </Page>
  )
}

export default Tests
