import { FileText, FileUp, Globe, MessageCircleQuestionMark } from "lucide"
import { Icon } from "../../../shared/Icon.tsx"
import { Dialog, FormDialog, openDialog, useClose, useDraft } from "../../parts/Dialogs.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { attempt } from "../../parts/Toast.ts"
import { href, navigate } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { type Source, sourceOf, sourcesOf } from "./SourceData.ts"
import { WebsiteDialog } from "./WebsiteDialog.tsx"

interface AddProps {
  readonly chatbotId: string
  /** Has the person choose files. */
  readonly onFiles: () => void
}

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

/** Goes to the chatbot's questions and answers, of which most chatbots have one list. */
const openQuestions = async (chatbotId: string): Promise<void> => {
  const params = { chatbotId }
  const { sources } = await call("GET /api/external/chatbot/:chatbotId/sources", { params })
  const source =
    sources.find(({ kind }) => kind === "questions") ??
    (
      await call("POST /api/external/chatbot/:chatbotId/sources", {
        params,
        body: { kind: "questions", name: "Questions and answers" },
      })
    ).source
  await navigate(href("source", { chatbotId, sourceId: source.id }, { do: "new" }))
}

const choicesFor = ({ chatbotId, onFiles }: AddProps) => [
  {
    icon: FileUp,
    title: "Files",
    about: "PDF, Office, e-books, mail, web pages, data and text, up to 25 MiB each.",
    run: onFiles,
  },
  {
    icon: Globe,
    title: "Website",
    about: "Its pages, or those of a sitemap or a feed, read again on a schedule.",
    run: () => openDialog(<WebsiteDialog chatbotId={chatbotId} />),
  },
  {
    icon: FileText,
    title: "Text",
    about: "Written here, and edited at any time.",
    run: () => openDialog(<TextDialog chatbotId={chatbotId} />),
  },
  {
    icon: MessageCircleQuestionMark,
    title: "Questions and answers",
    about: "Answers that you approve, given as they are written.",
    run: () => openQuestions(chatbotId),
  },
]

/** The kinds of knowledge that can be added, each a button. */
export const Choices = ({ onChosen, ...add }: AddProps & { readonly onChosen?: () => void }) => (
  <ul class="choices columns">
    {choicesFor(add).map(({ about, icon, run, title }, index) => (
      <li key={title}>
        <button
          type="button"
          class="box padded row nowrap start"
          autofocus={onChosen !== undefined && index === 0}
          onClick={() => {
            onChosen?.()
            void attempt(run)
          }}
        >
          <Icon nodes={icon} size={20} />
          <span class="stack tight">
            <strong>{title}</strong>
            <span class="soft small">{about}</span>
          </span>
        </button>
      </li>
    ))}
  </ul>
)

const AddDialog = (props: AddProps) => (
  <Dialog title="Add knowledge" wide>
    <Choices {...props} onChosen={useClose()} />
  </Dialog>
)

export const addKnowledge = (props: AddProps) => openDialog(<AddDialog {...props} />)
