import { useSignal } from "@preact/signals"
import { Download, MessageCircleQuestionMark, Plus, Trash, Upload } from "lucide"
import { useEffect, useRef } from "preact/hooks"
import { saveFile } from "../../../shared/Download.ts"
import { plural } from "../../../shared/Format.ts"
import { Button, IconButton, pickFiles } from "../../parts/Buttons.tsx"
import { confirmed, Dialog, openDialog } from "../../parts/Dialogs.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { Empty, Finding, Loaded, More } from "../../parts/Layout.tsx"
import { attempt } from "../../parts/Toast.ts"
import { bindQuery, useAsked } from "../../Router.ts"
import { type Answer, call, open } from "../../server/Api.ts"
import { type Failure, messageAt, toFailure } from "../../server/Failure.ts"
import { nextPage, resources, useResource } from "../../server/Resource.ts"
import { paramsOf, type Source, type SourceParams } from "./SourceData.ts"

const route = "/api/external/chatbot/:chatbotId/sources/:sourceId/questions"

type Question = Answer<`GET ${typeof route}`>["data"][number]

const fetchQuestions = async (chatbotId: string, sourceId: string, search: string, page = "1") => {
  const query = { page, limit: "100", query: search || undefined }
  const { data, metadata } = await call(`GET ${route}`, { params: { chatbotId, sourceId }, query })
  const next = Number(page) < metadata.totalPages ? String(Number(page) + 1) : null
  return { items: data, total: metadata.totalCount, next }
}

const questionsOf = resources((chatbotId: string, sourceId: string, search: string) =>
  fetchQuestions(chatbotId, sourceId, search),
)

const fields = { question: "Question", answer: "Answer", variants: "Other ways to ask" } as const

const draftOf = (item: Question | undefined) => ({
  question: item?.question ?? "",
  answer: item?.answer ?? "",
  variants: item?.variants.join("\n") ?? "",
})

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other)

interface RowProps {
  readonly params: SourceParams
  /** Absent in the row of a new question. */
  readonly item?: Question
  readonly mayWrite: boolean
  readonly onStored: (question: Question) => void
  /** Deletes the question, or gives up a new one. */
  readonly onRemove: () => unknown
}

/** A question whose fields are edited where they stand. Enter or leaving the row stores it; Escape gives changes up. */
const Row = ({ item, mayWrite, onRemove, onStored, params }: RowProps) => {
  const row = useRef<HTMLTableRowElement>(null)
  const draft = useSignal(draftOf(item))
  const failure = useSignal<Failure | undefined>(undefined)
  const isSaving = useSignal(false)
  const known = useRef(draft.value)
  useEffect(() => {
    // What was written since stays.
    if (isSame(draft.value, known.current)) draft.value = draftOf(item)
    known.current = draftOf(item)
  }, [item])
  useEffect(() => {
    if (item === undefined) row.current?.querySelector("textarea")?.focus()
  }, [])
  const save = async (): Promise<void> => {
    const sent = draft.value
    if (isSaving.value || isSame(sent, known.current)) return
    isSaving.value = true
    failure.value = undefined
    const { variants, ...texts } = sent
    const body = { ...texts, variants: variants.split("\n").filter((line) => line.trim() !== "") }
    try {
      const { question } = await (item === undefined
        ? call(`POST ${route}`, { params, body })
        : call(`PATCH ${route}/:questionId`, { params: { ...params, questionId: item.id }, body }))
      known.current = sent
      onStored(question)
    } catch (error) {
      failure.value = toFailure(error)
    }
    isSaving.value = false
  }
  const discard = (): void => {
    failure.value = undefined
    draft.value = known.current
    if (item === undefined) void onRemove()
  }
  const wrong = failure.value
  return (
    <tr
      ref={row}
      aria-busy={isSaving.value || undefined}
      onKeyDown={(event) => {
        const isEnter = event.key === "Enter" && !event.shiftKey && event.target instanceof HTMLTextAreaElement
        if (event.isComposing || (event.key !== "Escape" && !isEnter)) return
        event.preventDefault()
        if (isEnter) void save()
        else discard()
      }}
      onFocusOut={({ relatedTarget }) => {
        // Nothing takes the focus when the window loses it, where people look something up.
        if (relatedTarget instanceof Node && row.current?.contains(relatedTarget) === false) void save()
      }}
    >
      {(["question", "answer", "variants"] as const).map((field) => (
        <td key={field}>
          <TextArea
            label={fields[field]}
            value={draft.value[field]}
            onValue={(value) => (draft.value = { ...draft.value, [field]: value })}
            error={
              wrong &&
              (messageAt(wrong.errors, field) ??
                (field === "question" && wrong.errors.length === 0 ? wrong.message : undefined))
            }
            readonly={!mayWrite}
            rows={1}
            dir="auto"
            placeholder={field === "variants" ? "One per line" : undefined}
          />
        </td>
      ))}
      <td class="actions">
        {mayWrite && (
          <IconButton icon={Trash} label={`Delete ${draft.value.question}`} onClick={() => void onRemove()} />
        )}
      </td>
    </tr>
  )
}

type Imported = Answer<`POST ${typeof route}/import`>["import"]

const ImportResult = ({ result }: { readonly result: Imported }) => (
  <Dialog title="Import" wide>
    <p>{`${result.added} added, ${result.updated} updated, ${result.unchanged} unchanged, ${result.refused.length} refused.`}</p>
    <ul class="stack tight">
      {result.refused.map(({ reason, row }) => (
        <Finding key={row} kind="bad">
          <div>{`Row ${row}: ${reason}`}</div>
        </Finding>
      ))}
    </ul>
  </Dialog>
)

/** The questions of a source in a table, edited in place. */
export const QuestionsSection = ({ mayWrite, source }: { readonly source: Source; readonly mayWrite: boolean }) => {
  const params = paramsOf(source)
  const search = bindQuery("search")
  const list = useResource(questionsOf(params.chatbotId, params.sourceId, search.value))
  const isAdding = useSignal(false)
  const add = (): void => void (isAdding.value = mayWrite)
  useAsked("new", add)
  const stored = (question: Question): void => {
    const known = list.data.peek()
    if (known === undefined) return
    const isKnown = known.items.some(({ id }) => id === question.id)
    const items = isKnown
      ? known.items.map((each) => (each.id === question.id ? question : each))
      : [question, ...known.items]
    list.set({ ...known, items, total: known.total + (isKnown ? 0 : 1) })
  }
  const added = (question: Question): void => {
    isAdding.value = false
    stored(question)
    document.getElementById("add-question")?.focus()
  }
  const remove = ({ id, question }: Question): Promise<void> =>
    confirmed(
      { title: "Delete the question?", text: question, action: "Delete" },
      async () => {
        await call(`DELETE ${route}/:questionId`, { params: { ...params, questionId: id } })
        await list.reload()
      },
      "Question deleted.",
    )
  const upload = ([file]: ReadonlyArray<File>): Promise<void> =>
    attempt(async () => {
      const body = new FormData()
      body.append("file", file ?? "")
      const { import: result } = await call(`POST ${route}/import`, { params, body })
      openDialog(<ImportResult result={result} />)
      await list.reload()
    })
  const download = async (): Promise<void> => {
    const response = await open(`GET ${route}/export`, { params, headers: { accept: "text/csv" } })
    saveFile(`${source.name}.csv`, await response.blob())
  }
  return (
    <>
      <div class="toolbar row">
        <TextField label="Search questions" labelHidden type="search" placeholder="Search questions" {...search} />
        {mayWrite && (
          <>
            <Button kind="primary" icon={Plus} id="add-question" onClick={add}>
              Add question
            </Button>
            <Button icon={Upload} onClick={() => pickFiles({ accept: ".csv" }, (files) => void upload(files))}>
              Import CSV
            </Button>
          </>
        )}
        <Button icon={Download} onClick={download}>
          Export CSV
        </Button>
      </div>
      <Loaded of={list}>
        {({ items, next, total }) => (
          <>
            {items.length === 0 && !isAdding.value ? (
              <Empty
                icon={MessageCircleQuestionMark}
                title={search.value === "" ? "No questions yet" : "No matching questions"}
              >
                {search.value === "" &&
                  "Add a question with its answer, or import a CSV file with the columns question, answer and variants."}
              </Empty>
            ) : (
              <div class="box questions">
                <table class="data" aria-label="Questions and answers">
                  <thead>
                    <tr>
                      {Object.values(fields).map((title) => (
                        <th key={title} scope="col">
                          {title}
                        </th>
                      ))}
                      <th scope="col">
                        <span class="visually-hidden">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {isAdding.value && (
                      <Row {...{ params, mayWrite }} onStored={added} onRemove={() => (isAdding.value = false)} />
                    )}
                    {items.map((item) => (
                      <Row
                        key={item.id}
                        {...{ item, params, mayWrite }}
                        onStored={stored}
                        onRemove={() => remove(item)}
                      />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            <p class="soft small">
              {plural(total, "question")}. <kbd>Enter</kbd> saves, <kbd>Shift</kbd> <kbd>Enter</kbd> begins a new line,{" "}
              <kbd>Esc</kbd> discards changes.
            </p>
            {next !== null && (
              <More
                of={list}
                load={nextPage((page) => fetchQuestions(params.chatbotId, params.sourceId, search.value, page))}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
