import { Download, FlaskConical, ListFilter, Play, Plus, Settings2, Sparkles, Upload } from "lucide"
import { useCallback } from "preact/hooks"
import { saveFile } from "../../../shared/Download.ts"
import { plural } from "../../../shared/Format.ts"
import { chatbotResource } from "../../data/Chatbots.ts"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { Ago, Badge, Empty, Loaded, More, Page, StateBadge, Tabs } from "../../parts/Layout.tsx"
import { useShortcuts } from "../../parts/Shortcuts.ts"
import { Table } from "../../parts/Table.tsx"
import { attempt } from "../../parts/Toast.ts"
import { bindOption, bindQuery, href, useAsked } from "../../Router.ts"
import { call, open } from "../../server/Api.ts"
import { nextPage, useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { keysOf } from "../../server/Unknown.ts"
import { importFile, importWords } from "../sources/Import.tsx"
import { editPlan } from "./PlanDialog.tsx"
import { run, RunState, RunTable, runWithModel } from "./Runs.tsx"
import {
  changeWords,
  fetchTests,
  isGoingOn,
  outcomeWords,
  runsOf,
  type Test,
  testsOf,
  tierWords,
  useProgress,
} from "./TestData.ts"
import { editTest } from "./TestDialog.tsx"

const route = "/api/external/chatbot/:chatbotId/tests"

const views = { tests: "Tests", runs: "Runs" }
const formats = { csv: "CSV", jsonl: "JSONL", promptfoo: "promptfoo" } as const
const endings = { csv: "csv", jsonl: "jsonl", promptfoo: "yaml" } as const

const download = async (chatbotId: string, name: string, format: keyof typeof formats): Promise<void> => {
  const response = await open(`GET ${route}/export`, {
    params: { chatbotId },
    query: { format },
    headers: { accept: "*/*" },
  })
  saveFile(`${name} tests.${endings[format]}`, await response.blob())
}

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
      <StateBadge of={outcomeWords[last.outcome]} />
      <StateBadge of={changeWords[last.change ?? "same"]} />
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
        <div class="notice warn row nowrap start">
          <div>The prompt or the model has changed since the last run with the model.</div>
        </div>
      )}
    </div>
  )
}

const Tests = ({ chatbotId }: { readonly chatbotId: string }) => {
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  const search = bindQuery("search")
  const tag = bindQuery("tag")
  const list = useResource(testsOf(chatbotId, search.value, tag.value))
  const runs = useResource(runsOf(chatbotId))
  const view = bindOption("view", views, "tests")
  const look = useCallback(() => Promise.all([runs.reload(), list.reload()]), [runs, list])
  useProgress(isGoingOn(runs.data.value?.items[0]), look)
  const isFiltered = search.value !== "" || tag.value !== ""
  const isEmpty = list.data.value?.total === 0 && !isFiltered
  const { tags = [] } = list.data.value ?? testsOf(chatbotId, "", "").data.value ?? {}
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
  const of = tag.value === "" ? "" : `: ${tag.value}`
  return (
    <Page
      title="Tests"
      docs="answers"
      of={chatbot?.name}
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
                    onChoose: () => run(chatbotId, "search", tag.value),
                  },
                  can("chat") && {
                    label: `With the model…${of}`,
                    icon: Sparkles,
                    onChoose: () => runWithModel(chatbotId, tag.value),
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
                    onChoose: () => download(chatbotId, chatbot?.name ?? "Chatbot", format),
                  },
              ),
            ]}
          />
        </>
      }
    >
      {!isEmpty && (
        <>
          <LastRun chatbotId={chatbotId} />
          <Tabs label="View" {...view} options={views} />
        </>
      )}
      {view.value === "runs" && !isEmpty && <RunTable chatbotId={chatbotId} />}
      {view.value === "tests" && !isEmpty && (
        <div class="toolbar row">
          <TextField label="Search tests" labelHidden type="search" placeholder="Search tests" {...search} />
          {tags.length > 0 && (
            <SelectField
              label="Tag"
              labelHidden
              {...tag}
              options={{ "": "All tags", ...Object.fromEntries(tags.map((each) => [each, each])) }}
            />
          )}
        </div>
      )}
      {(view.value === "tests" || isEmpty) && (
        <Loaded of={list}>
          {({ items, next, total }) => (
            <>
              {items.length === 0 && (
                <Empty
                  icon={FlaskConical}
                  title={isFiltered ? "No matching tests" : "No tests yet"}
                  action={
                    isEmpty &&
                    mayWrite && (
                      <Button kind="primary" icon={Plus} onClick={() => edit()}>
                        Add test
                      </Button>
                    )
                  }
                >
                  {!isFiltered &&
                    "Tests tell you when a change of documents, prompt or model makes an answer worse. Add one, import a file, or make one from a reply in a conversation."}
                </Empty>
              )}
              {items.length > 0 && (
                <>
                  <Table
                    label="Tests"
                    rows={items}
                    keyOf={({ id }) => id}
                    columns={[
                      {
                        title: "Question",
                        kind: "main",
                        cell: (test) =>
                          mayWrite ? (
                            <button
                              type="button"
                              class="link"
                              dir="auto"
                              onClick={() => void attempt(() => edit(test))}
                            >
                              {test.question}
                            </button>
                          ) : (
                            <span dir="auto">{test.question}</span>
                          ),
                      },
                      {
                        title: "Tags",
                        isExtra: true,
                        cell: (test) => (
                          <span class="row">
                            {test.tags.map((each) => (
                              <Badge key={each}>{each}</Badge>
                            ))}
                          </span>
                        ),
                      },
                      { title: "Last result", cell: (test) => <Outcome test={test} /> },
                      {
                        title: "Actions",
                        kind: "actions",
                        cell: (test) =>
                          mayWrite && (
                            <Menu
                              label={`Actions for ${test.question}`}
                              items={[changeItem(() => edit(test)), deleteItem(() => remove(test, list.reload))]}
                            />
                          ),
                      },
                    ]}
                  />
                  <p class="soft small">{plural(total, "test")}.</p>
                </>
              )}
              {next !== null && (
                <More of={list} load={nextPage((page) => fetchTests(chatbotId, search.value, tag.value, page))} />
              )}
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

export default Tests
