import { useSignal } from "@preact/signals"
import { Download, MessageCircleQuestionMark, Plus, Trash, Upload } from "lucide"
import { useRef } from "preact/hooks"
import { plural } from "../../../shared/Format.ts"
import { Button, IconButton } from "../../parts/Buttons.tsx"
import { confirmed, openDialog } from "../../parts/Dialogs.tsx"
import { SearchField, TextArea } from "../../parts/Field.tsx"
import { Empty, LoadedList } from "../../parts/Layout.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { bindQuery, useAsked } from "../../Router.ts"
import { call, download } from "../../server/Api.ts"
import { type Failure, messageAt, toFailure } from "../../server/Failure.ts"
import { lists, pageAfter, useResource } from "../../server/Resource.ts"
import { keysOf } from "../../server/Unknown.ts"
import { linesIn } from "../../data/Texts.ts"
import { importFile, importWords } from "./Import.tsx"
import { paramsOf, type Source, type SourceParams } from "./SourceData.ts"
import { fieldTitles, type Question, QuestionDialog } from "./QuestionDialog.tsx"

const route = "/api/external/chatbot/:chatbotId/sources/:sourceId/questions"

const questionsOf = lists(async (page, chatbotId: string, sourceId: string, search: string) => {
  const query = { page, limit: "100", query: search || undefined }
  const { data, metadata } = await call(`GET ${route}`, { params: { chatbotId, sourceId }, query })
  return { items: data, total: metadata.totalCount, next: pageAfter(metadata) }
})

/** The fields of a question as text: how each is read, and what changes it. */
const fields = {
  question: {
    read: ({ question }: Question) => question,
    change: (question: string) => ({ question }),
  },
  answer: { read: ({ answer }: Question) => answer, change: (answer: string) => ({ answer }) },
  variants: {
    read: ({ variants }: Question) => variants.join("\n"),
    change: (text: string) => ({ variants: linesIn(text) }),
  },
}

interface CellProps {
  readonly field: keyof typeof fields
  readonly item: Question
  readonly params: SourceParams
  readonly mayWrite: boolean
  readonly onStored: (question: Question) => void
}

/** A field of a question that is edited where it stands. Enter or leaving it stores it; Escape discards what is written. */
const Cell = ({ field, item, mayWrite, onStored, params }: CellProps) => {
  const { change, read } = fields[field]
  const known = read(item)
  const draft = useSignal<string | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const isSaving = useRef(false)
  const save = async (): Promise<void> => {
    const sent = draft.value
    if (isSaving.current || sent === undefined || sent === known) return
    isSaving.current = true
    failure.value = undefined
    try {
      const of = { ...params, questionId: item.id }
      const { question } = await call(`PATCH ${route}/:questionId`, { params: of, body: change(sent) })
      onStored(question)
      // What was written since stays.
      if (draft.value === sent) draft.value = undefined
    } catch (error) {
      failure.value = toFailure(error)
    }
    isSaving.current = false
  }
  const wrong = failure.value
  return (
    <TextArea
      label={fieldTitles[field]}
      value={draft.value ?? known}
      onValue={(text) => (draft.value = text)}
      error={wrong && (messageAt(wrong.errors, field) ?? wrong.message)}
      readonly={!mayWrite}
      rows={1}
      dir="auto"
      placeholder={field === "variants" ? "One per line" : undefined}
      onKeyDown={(event) => {
        if (event.isComposing || event.shiftKey || (event.key !== "Enter" && event.key !== "Escape")) return
        event.preventDefault()
        if (event.key === "Enter") return void save()
        draft.value = failure.value = undefined
      }}
      onBlur={({ currentTarget }) => {
        // It stays active when the window loses the focus, where people look something up.
        if (currentTarget !== document.activeElement) void save()
      }}
    />
  )
}

/** The questions of a source in a table, edited in place. */
export const QuestionsSection = ({ mayWrite, source }: { readonly source: Source; readonly mayWrite: boolean }) => {
  const params = paramsOf(source)
  const search = bindQuery("search")
  const list = useResource(questionsOf(params.chatbotId, params.sourceId, search.value))
  const stored = (question: Question): void => {
    const known = list.data.peek()
    if (known === undefined) return
    const others = known.items.map((each) => (each.id === question.id ? question : each))
    const isKnown = others.includes(question)
    list.set({ ...known, items: isKnown ? others : [question, ...others], total: known.total + (isKnown ? 0 : 1) })
  }
  const add = (): void => void openDialog(<QuestionDialog params={params} onStored={stored} />)
  useAsked("new", () => mayWrite && add())
  const column = (field: keyof typeof fields): Column<Question> => ({
    title: fieldTitles[field],
    kind: field === "question" ? "main" : "text",
    cell: (item) => <Cell {...{ field, item, mayWrite, params }} onStored={stored} />,
  })
  const remove = ({ id, question }: Question): Promise<void> =>
    confirmed(
      { title: "Delete the question?", text: question, action: "Delete" },
      async () => {
        await call(`DELETE ${route}/:questionId`, { params: { ...params, questionId: id } })
        await list.reload()
      },
      "Question deleted.",
    )
  const upload = (): void =>
    importFile(".csv", async (body) => {
      const { import: result } = await call(`POST ${route}/import`, { params, body })
      await list.reload()
      return importWords(result)
    })
  const save = (): Promise<void> =>
    download(`${source.name}.csv`, `GET ${route}/export`, { params, headers: { accept: "text/csv" } })
  return (
    <>
      <div class="toolbar row">
        <SearchField label="Search questions" {...search} />
        {mayWrite && (
          <>
            <Button kind="primary" icon={Plus} onClick={add}>
              Add question
            </Button>
            <Button icon={Upload} onClick={upload}>
              Import CSV
            </Button>
          </>
        )}
        <Button icon={Download} onClick={save}>
          Export CSV
        </Button>
      </div>
      <LoadedList
        of={list}
        empty={
          <Empty
            icon={MessageCircleQuestionMark}
            title={search.value === "" ? "No questions yet" : "No matching questions"}
          >
            {search.value === "" &&
              "Add a question with its answer, or import a CSV file with the columns question, answer and variants."}
          </Empty>
        }
      >
        {({ items, total }) => (
          <>
            <Table
              class="questions"
              label="Questions and answers"
              grows
              rows={items}
              columns={keysOf(fields).map(column)}
              actions={(item) =>
                mayWrite && (
                  <IconButton icon={Trash} label={`Delete ${item.question}`} onClick={() => void remove(item)} />
                )
              }
            />
            <p class="soft small">
              {plural(total, "question")}. <kbd>Enter</kbd> saves, <kbd>Shift</kbd> <kbd>Enter</kbd> begins a new line,{" "}
              <kbd>Esc</kbd> discards changes.
            </p>
          </>
        )}
      </LoadedList>
    </>
  )
}
