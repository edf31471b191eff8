import { FileUp, MessageCircleQuestionMark, RefreshCw } from "lucide"
import { useChatbotForm } from "../../forms/ChatbotForm.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { QUOTING } from "../../data/Models.ts"
import { Button, pickFiles } from "../../parts/Buttons.tsx"
import { TextArea } from "../../parts/Field.tsx"
import { ExternalLink, Finding, Section } from "../../parts/Layout.tsx"
import { attempt } from "../../parts/Toast.ts"
import { href, setQuery } from "../../Router.ts"
import { Failure } from "../../server/Failure.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { DocumentState } from "../knowledge/DocumentTable.tsx"
import { documentResource } from "../knowledge/PassagesDrawer.tsx"
import { accept, faultOf, sendFile } from "../knowledge/Uploads.ts"
import { askedBefore, writeAnswer } from "./WriteAnswer.tsx"
import { diagnosisOf, documentsOf, mayAsk, type Mending, type Review } from "./Mending.ts"

/*
 * The ways to mend an answer.
 */

export interface WaysProps {
  readonly review: Review
  readonly mending: Mending
}

/** The most documents that are offered: an answer rests on the first few that were found. */
const DOCUMENTS_MAX = 5

/** Has the person choose a file, and asks again once that is added, or replaces a document, and is ready. */
const pickFile = (chatbotId: string, mending: Mending, replaces?: string): void =>
  pickFiles({ accept }, ([file]) =>
    attempt(async () => {
      if (file === undefined) return
      const fault = faultOf(file)
      if (fault !== undefined) throw new Failure(fault, {})
      const mend = async () => {
        const added = await sendFile(chatbotId, { file, replaces })
        return replaces === undefined ? added.map(({ id }) => id) : [replaces]
      }
      await mending.again({ mend })
    }),
  )

interface DocumentRowProps extends WaysProps {
  readonly passage: ReturnType<typeof documentsOf>[number]
}

/** A document with what can be done about its content, which depends on its origin. */
const DocumentRow = ({ mending, passage, review: { chatbot_id: chatbotId } }: DocumentRowProps) => {
  const { chunk, document_id: documentId, title } = passage
  const document = useResource(documentResource(chatbotId, documentId)).data.value?.document
  return (
    <li class="padded row apart">
      <span class="stack tight anywhere">
        <button
          type="button"
          class="link"
          dir="auto"
          onClick={() => setQuery({ document: documentId, passage: String(chunk) })}
        >
          {title}
        </button>
        {document?.url != null && <ExternalLink url={document.url} />}
        {document !== undefined && <DocumentState document={document} />}
      </span>
      {can("knowledge:write") && document?.source_id === null && (
        <Button
          icon={RefreshCw}
          aria-label={`Replace file…: ${title}`}
          onClick={() => pickFile(chatbotId, mending, documentId)}
        >
          Replace file…
        </Button>
      )}
      {document?.source_id != null && (
        // The search is that of questions with answers, among which it is one of many.
        <a
          class="button secondary"
          href={href("source", { chatbotId, sourceId: document.source_id }, { search: document.name })}
        >
          Open source
        </a>
      )}
    </li>
  )
}

const DocumentsWay = ({ mending, review }: WaysProps) => {
  const documents = documentsOf(review).slice(0, DOCUMENTS_MAX)
  return (
    <Section
      title="Document"
      about="A corrected document also mends the other answers that rest on it."
      actions={
        can("knowledge:write") && (
          <Button icon={FileUp} onClick={() => pickFile(review.chatbot_id, mending)}>
            Add file…
          </Button>
        )
      }
    >
      {documents.length === 0 ? (
        <p class="soft">No document has anything about this question. Add a file, or write the answer.</p>
      ) : (
        <ul class="box rows" aria-label="Documents of the answer">
          {documents.map((passage) => (
            <DocumentRow key={passage.document_id} {...{ mending, passage, review }} />
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
      title="Instructions"
      about={
        form.text("settings.model") === QUOTING
          ? "The model local/extractive quotes documents and follows no prompt."
          : "The prompt changes how the chatbot answers every question."
      }
    >
      <EditForm form={{ ...form, save }} label="Instructions" action="Save to chatbot">
        <TextArea {...form.line("settings.prompt")} label="Instructions" maxLength={32_000} rows={4} />
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

const PairWay = ({ mending, review }: WaysProps) => {
  const onStored = ({ document_id }: { readonly document_id: string }) =>
    attempt(() => mending.again({ mend: async () => [document_id] }))
  return (
    <Section
      title="Question and answer"
      about="An answer to this one question that you approve, and that comes before everything else."
    >
      <Button
        icon={MessageCircleQuestionMark}
        onClick={() => writeAnswer(review.chatbot_id, { asked: askedBefore(review), made: mending.testId, onStored })}
      >
        Write the answer
      </Button>
    </Section>
  )
}

/** What is most probably wrong with the answer, and the ways to mend it in the order in which they probably help. */
export const Ways = ({ mending, review }: WaysProps) => {
  const chatbot = chatbotResource(review.chatbot_id).data.value
  const { cause, ways } = diagnosisOf(review)
  const views = {
    document: <DocumentsWay key="document" {...{ mending, review }} />,
    prompt: chatbot !== undefined && can("chatbots:write") && (
      <PromptWay key="prompt" first={chatbot} mending={mending} />
    ),
    answer: can("knowledge:write") && <PairWay key="answer" {...{ mending, review }} />,
  }
  return (
    <>
      <ul class="box padded" aria-label="Most probable cause">
        <Finding kind="warn">
          <p>
            <strong>Most probable cause:</strong> {cause}
          </p>
        </Finding>
      </ul>
      {ways.map((way) => views[way])}
    </>
  )
}
