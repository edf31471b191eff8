import type { ComponentChildren } from "preact"
import { linesIn } from "../../data/Texts.ts"
import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { type Answer, call } from "../../server/Api.ts"
import type { SourceParams } from "./SourceData.ts"

const route = "/api/external/chatbot/:chatbotId/sources/:sourceId/questions"

export type Question = Answer<`GET ${typeof route}`>["data"][number]

/** The labels of a question's fields. */
export const fieldTitles = { question: "Question", answer: "Answer", variants: "Other ways to ask" }

interface QuestionProps {
  readonly params: SourceParams
  readonly title?: string
  /** What it begins with. */
  readonly first?: { readonly question: string; readonly answer?: string; readonly variants?: string }
  readonly onStored: (question: Question) => unknown
  readonly children?: ComponentChildren
}

/** Adds a question with its answer. */
export const QuestionDialog = ({ children, first, onStored, params, title = "Add question" }: QuestionProps) => {
  const { draft, of } = useDraft({ question: "", answer: "", variants: "", ...first })
  const submit = async (): Promise<void> => {
    const body = { ...draft, variants: linesIn(draft.variants) }
    await onStored((await call(`POST ${route}`, { params, body })).question)
  }
  return (
    <FormDialog title={title} action="Save" wide stays onSubmit={submit}>
      <TextField label={fieldTitles.question} {...of("question")} required dir="auto" />
      <TextArea
        label={fieldTitles.answer}
        {...of("answer")}
        required
        rows={4}
        dir="auto"
        hint="Markdown."
        autofocus={first !== undefined}
      />
      {/* Who answers what was asked has one field to fill in. */}
      {first?.variants !== "" && (
        <TextArea label={fieldTitles.variants} {...of("variants")} rows={2} dir="auto" hint="One per line." />
      )}
      {children}
    </FormDialog>
  )
}
