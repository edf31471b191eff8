import { useMemo } from "preact/hooks"
import { FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { RowFields } from "../../parts/RowFields.tsx"
import { call } from "../../server/Api.ts"
import { can } from "../../server/Session.ts"
import { type Document, newestDocuments } from "../knowledge/Documents.ts"
import type { Test } from "./TestData.ts"
import { draftOf, emptyFind, type FindDraft, inputOf, type SayField, sayFields } from "./TestForm.ts"

const route = "/api/external/chatbot/:chatbotId/tests"

const refusals = {
  "": "Must answer",
  may: "May say that it has no answer",
  must: "Must say that it has no answer",
} as const

interface FindFieldsProps {
  readonly all: ReadonlyArray<FindDraft>
  readonly onAll: (all: ReadonlyArray<FindDraft>) => void
  readonly documents: ReadonlyArray<Document>
}

/** The documents and passages that a search must find. */
const FindFields = ({ all, documents, onAll }: FindFieldsProps) => {
  const names = Array.from(new Set(documents.map(({ name }) => name)))
  return (
    <fieldset class="stack tight">
      <legend>Must be found</legend>
      <p class="soft small">A document, a passage that contains a text, or both, among the first five passages.</p>
      <RowFields noun="expectation" rows={all} onRows={onAll} first={emptyFind}>
        {(find, change) => (
          <>
            <TextField
              label="Document"
              value={find.document}
              onValue={(text) => change({ ...find, document: text })}
              suggestions={names}
              dir="auto"
              maxLength={500}
            />
            <TextField
              label="Contains"
              value={find.contains}
              onValue={(text) => change({ ...find, contains: text })}
              dir="auto"
              maxLength={2_000}
            />
          </>
        )}
      </RowFields>
    </fieldset>
  )
}

interface TestDialogProps {
  readonly chatbotId: string
  readonly test?: Test | undefined
  readonly documents: ReadonlyArray<Document>
  readonly onStored: () => unknown
}

const TestDialog = ({ chatbotId, documents, onStored, test }: TestDialogProps) => {
  const { change, draft, of } = useDraft(draftOf(test, documents))
  const submit = async (): Promise<void> => {
    const body = inputOf(draft, documents)
    await (test === undefined
      ? call(`POST ${route}`, { params: { chatbotId }, body })
      : call(`PATCH ${route}/:testId`, { params: { chatbotId, testId: test.id }, body }))
    onStored()
  }
  const lines = (field: SayField, hint: string) => (
    <TextArea label={sayFields[field].label} {...of(field)} rows={2} dir="auto" hint={hint} />
  )
  const hasMore = useMemo(
    () => [draft.history, draft.pattern, draft.notPattern, draft.judge, draft.notJudge].some(Boolean),
    [],
  )
  return (
    <FormDialog title={test === undefined ? "Add test" : "Edit test"} action="Save" wide stays onSubmit={submit}>
      <TextArea label="Question" {...of("question")} required rows={1} dir="auto" />
      <FindFields all={draft.find} onAll={(find) => change({ find: [...find] })} documents={documents} />
      <div class="columns">
        {lines("words", "One text per line. Case and blanks do not matter.")}
        {lines("notWords", "One text per line.")}
        <SelectField label="Without an answer" {...of("refusal")} options={refusals} />
        <TextField
          label="Tags"
          {...of("tags")}
          placeholder="refunds, shipping"
          dir="auto"
          hint="Separated by commas."
        />
      </div>
      <details open={hasMore}>
        <summary>More</summary>
        <div class="stack">
          <TextArea
            label="Conversation before the question"
            {...of("history")}
            rows={2}
            dir="auto"
            placeholder={"User: Do you ship to Norway?\nChatbot: Yes, we do."}
            hint="One turn per line, which begins with User: or Chatbot:."
          />
          <div class="columns">
            {lines("pattern", "One regular expression per line.")}
            {lines("notPattern", "One regular expression per line.")}
            {lines("judge", "One sentence per line. A model checks them in runs with the model.")}
            {lines("notJudge", "One sentence per line.")}
          </div>
        </div>
      </details>
    </FormDialog>
  )
}

/** Opens the form for a new test, or for one that is changed. */
export const editTest = async (chatbotId: string, onStored: () => unknown, test?: Test): Promise<void> => {
  const documents = can("knowledge:read") ? await newestDocuments(chatbotId) : []
  openDialog(<TestDialog {...{ chatbotId, documents, onStored, test }} />)
}
