import { FileText, Globe, MessageCircleQuestionMark } from "lucide"
import { FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { href, navigate } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { type Source, sourceOf, sourcesOf } from "./SourceData.ts"
import { WebsiteDialog } from "./WebsiteDialog.tsx"

/** Writes a text, or changes one. */
export const TextDialog = ({ chatbotId, source }: { readonly chatbotId: string; readonly source?: Source }) => {
  const { draft, of } = useDraft({ name: source?.name ?? "", text: source?.text ?? "" })
  const submit = async (): Promise<void> => {
    if (source !== undefined) {
      const params = { chatbotId, sourceId: source.id }
      const stored = await call("PATCH /api/external/chatbot/:chatbotId/sources/:sourceId", { params, body: draft })
      return sourceOf(chatbotId, source.id).set(stored.source)
    }
    const body = { kind: "text", ...draft } as const
    await call("POST /api/external/chatbot/:chatbotId/sources", { params: { chatbotId }, body })
    await sourcesOf(chatbotId).reload()
  }
  return (
    <FormDialog title={source === undefined ? "Add text" : "Edit text"} action="Save" wide stays onSubmit={submit}>
      <TextField label="Title" {...of("name")} required maxLength={200} />
      <TextArea
        label="Text"
        {...of("text")}
        required
        rows={12}
        maxLength={200_000}
        dir="auto"
        hint="Markdown. Headings divide it into passages."
      />
    </FormDialog>
  )
}

/** The chatbot's questions and answers, of which most chatbots have one list; makes it where there is none. */
export const questionsSource = async (chatbotId: string): Promise<Source> => {
  const params = { chatbotId }
  const { sources } = await call("GET /api/external/chatbot/:chatbotId/sources", { params })
  return (
    sources.find(({ kind }) => kind === "questions") ??
    (
      await call("POST /api/external/chatbot/:chatbotId/sources", {
        params,
        body: { kind: "questions", name: "Questions and answers" },
      })
    ).source
  )
}

const openQuestions = async (chatbotId: string): Promise<void> => {
  const source = await questionsSource(chatbotId)
  await navigate(href("source", { chatbotId, sourceId: source.id }, { do: "new" }))
}

/** The entries of a menu for the kinds of knowledge that are no files. */
export const sourceItems = (chatbotId: string) => [
  { label: "Website", icon: Globe, onChoose: () => openDialog(<WebsiteDialog chatbotId={chatbotId} />) },
  { label: "Text", icon: FileText, onChoose: () => openDialog(<TextDialog chatbotId={chatbotId} />) },
  { label: "Questions and answers", icon: MessageCircleQuestionMark, onChoose: () => openQuestions(chatbotId) },
]
