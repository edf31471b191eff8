import { useSignal } from "@preact/signals"
import { FileUp, Pencil, RefreshCw } from "lucide"
import { useChatbotForm } from "../../forms/ChatbotForm.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { Button, pickFiles } from "../../parts/Buttons.tsx"
import { Form, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { ExternalLink, Section } from "../../parts/Layout.tsx"
import { attempt } from "../../parts/Toast.ts"
import { href } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { Failure } from "../../server/Failure.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { DocumentState } from "../knowledge/DocumentTable.tsx"
import { documentResource } from "../knowledge/PassagesDrawer.tsx"
import { accept, faultOf } from "../knowledge/Uploads.ts"
import { questionsSource, TextDialog } from "../sources/AddKnowledge.tsx"
import { type Source, sourcesOf } from "../sources/SourceData.ts"
import { openPassage } from "./Ground.tsx"
import { documentsOf, mayAsk, type Mending, type Review } from "./Mending.ts"

/*
 * The ways to mend an answer, in the order in which they help other answers as well.
 */

interface WaysProps {
  readonly review: Review
  readonly mending: Mending
}

/** The most documents that are offered: an answer rests on the first few that were found. */
const DOCUMENTS_MAX = 5

/** Has the person choose a file, and asks again once it is stored and ready. */
const pickFile = (mending: Mending, send: (file: File) => Promise<ReadonlyArray<string>>): void =>
  pickFiles({ accept }, ([file]) =>
    attempt(async () => {
      if (file === undefined) return
      const fault = faultOf(file)
      if (fault !== undefined) throw new Failure(fault, {})
      await mending.again({ mend: () => send(file) })
    }),
  )

const headers = { prefer: "respond-async" }

const replace = async (chatbotId: string, documentId: string, file: File): Promise<ReadonlyArray<string>> => {
  const body = new FormData()
  body.append("documentId", documentId)
  body.append("file", file)
  await call("PATCH /api/external/chatbot/:chatbotId/knowledge-base", { params: { chatbotId }, body, headers })
  return [documentId]
}

const add = async (chatbotId: string, file: File): Promise<ReadonlyArray<string>> => {
  const body = new FormData()
  body.append("chatbotId", chatbotId)
  body.append("files", file)
  return (await call("POST /api/embedfiles", { body, headers })).documents.map(({ id }) => id)
}

const editText = async ({ chatbot_id: chatbotId, id: sourceId }: Source, onStored: () => void): Promise<void> => {
  const { source } = await call("GET /api/external/chatbot/:chatbotId/sources/:sourceId", {
    params: { chatbotId, sourceId },
  })
  openDialog(<TextDialog {...{ chatbotId, onStored, source }} />)
}

interface DocumentRowProps extends Pick<WaysProps, "mending"> {
  readonly chatbotId: string
  readonly passage: ReturnType<typeof documentsOf>[number]
  readonly sources: ReadonlyArray<Source>
}

/** A document with what can be done about its content, which depends on its origin. */
const DocumentRow = ({ chatbotId, mending, passage, sources }: DocumentRowProps) => {
  const { chunk, document_id: documentId, title } = passage
  const { data, failure } = useResource(documentResource(chatbotId, documentId))
  const document = data.value?.document
  const source = sources.find(({ id }) => id === document?.source_id)
  if (failure.value?.status === 404)
    return (
      <li class="padded row apart">
        <span dir="auto">{title}</span> <span class="soft">Deleted</span>
      </li>
    )
  const mayWrite = can("knowledge:write")
  return (
    <li class="padded row apart">
      <span class="stack tight anywhere">
        <button type="button" class="link" dir="auto" onClick={() => openPassage(documentId, chunk)}>
          {title}
        </button>
        {document?.url != null && <ExternalLink url={document.url} />}
        {document !== undefined && <DocumentState document={document} />}
      </span>
      <span class="row">
        <Button small aria-label={`Open passage: ${title}`} onClick={() => openPassage(documentId, chunk)}>
          Open passage
        </Button>
        {mayWrite && document?.source_id === null && (
          <Button
            small
            icon={RefreshCw}
            aria-label={`Replace file…: ${title}`}
            onClick={() => pickFile(mending, (file) => replace(chatbotId, documentId, file))}
          >
            Replace file…
          </Button>
        )}
        {mayWrite && source?.kind === "text" && (
          <Button
            small
            icon={Pencil}
            aria-label={`Edit text…: ${title}`}
            onClick={() =>
              editText(source, () => void attempt(() => mending.again({ mend: async () => [documentId] })))
            }
          >
            Edit text…
          </Button>
        )}
        {source !== undefined && source.kind !== "text" && (
          <a
            class="button secondary small"
            aria-label={`Open source: ${title}`}
            href={href(
              "source",
              { chatbotId, sourceId: source.id },
              source.kind === "questions" ? { search: document?.name } : {},
            )}
          >
            Open source
          </a>
        )}
      </span>
    </li>
  )
}

const DocumentsWay = ({ mending, review }: WaysProps) => {
  const chatbotId = review.chatbot_id
  const sources = useResource(sourcesOf(chatbotId)).data.value ?? []
  const documents = documentsOf(review).slice(0, DOCUMENTS_MAX)
  return (
    <Section
      title="Document"
      about="First choice: a corrected document also mends the other answers that rest on it."
      actions={
        can("knowledge:write") && (
          <Button icon={FileUp} onClick={() => pickFile(mending, (file) => add(chatbotId, file))}>
            Add file…
          </Button>
        )
      }
    >
      {documents.length === 0 ? (
        <p class="soft">No document has anything about this question. Add a file, or write the answer below.</p>
      ) : (
        <ul class="box rows" aria-label="Documents of the answer">
          {documents.map((passage) => (
            <DocumentRow key={passage.document_id} {...{ chatbotId, mending, passage, sources }} />
          ))}
        </ul>
      )}
    </Section>
  )
}

const PromptWay = ({ first, mending }: Pick<WaysProps, "mending"> & { readonly first: VersionedChatbot }) => {
  const form = useChatbotForm(first.chatbot.id, first)
  const save = async (): Promise<boolean> => {
    const isSaved = await form.save()
    if (isSaved) void attempt(() => mending.again())
    return isSaved
  }
  return (
    <Section
      title="Prompt"
      about={
        form.text("settings.model") === "local/extractive"
          ? "Second choice. The model local/extractive quotes documents and follows no prompt."
          : "Second choice: the prompt changes how the chatbot answers every question."
      }
    >
      <EditForm form={{ ...form, save }} label="Prompt" action="Save to chatbot">
        <TextArea {...form.line("settings.prompt")} label="Prompt" maxLength={32_000} rows={4} />
        {mayAsk() && (
          <Button
            disabled={form.changes.value.length === 0}
            onClick={() => mending.again({ prompt: form.text("settings.prompt") })}
          >
            Try without saving
          </Button>
        )}
      </EditForm>
    </Section>
  )
}

const questionsRoute = "/api/external/chatbot/:chatbotId/sources/:sourceId/questions"
const QUESTION_MAX_LENGTH = 500

const PairWay = ({ mending, review }: WaysProps) => {
  const { answer, chatbot_id: chatbotId, question, sources, standalone_question } = review
  const { draft, of } = useDraft({
    question: (standalone_question ?? question).replaceAll(/\s+/g, " ").trim().slice(0, QUESTION_MAX_LENGTH),
    // A reply that rests on nothing says that it has no answer.
    answer: sources.length === 0 ? "" : answer,
  })
  const stored = useSignal<{ readonly sourceId: string; readonly questionId: string } | undefined>(undefined)
  const submit = async (): Promise<void> => {
    const known = stored.value
    const { question: saved } =
      known === undefined
        ? await call(`POST ${questionsRoute}`, {
            params: { chatbotId, sourceId: (await questionsSource(chatbotId)).id },
            body: draft,
          })
        : await call(`PATCH ${questionsRoute}/:questionId`, { params: { chatbotId, ...known }, body: draft })
    stored.value = { sourceId: saved.source_id, questionId: saved.id }
    void attempt(() => mending.again({ mend: async () => [saved.document_id] }))
  }
  return (
    <Section
      title="Question and answer"
      about="Last choice: an approved answer to this one question, which comes before everything else."
    >
      <Form
        kind="secondary"
        action={stored.value === undefined ? "Approve and save" : "Save changes"}
        onSubmit={submit}
      >
        <TextField label="Question" {...of("question")} required maxLength={QUESTION_MAX_LENGTH} dir="auto" />
        <TextArea label="Answer" {...of("answer")} required rows={4} maxLength={20_000} dir="auto" hint="Markdown." />
      </Form>
    </Section>
  )
}

export const Ways = ({ mending, review }: WaysProps) => {
  const chatbot = chatbotResource(review.chatbot_id).data.value
  return (
    <>
      <DocumentsWay {...{ mending, review }} />
      {chatbot !== undefined && can("chatbots:write") && <PromptWay first={chatbot} mending={mending} />}
      {can("knowledge:write") && <PairWay {...{ mending, review }} />}
    </>
  )
}
