import { useSignal } from "@preact/signals"
import { MessageCircleQuestionMark } from "lucide"
import { inOneLine } from "../../data/Texts.ts"
import { Button } from "../../parts/Buttons.tsx"
import { openDialog } from "../../parts/Dialogs.tsx"
import { bind, Checkbox } from "../../parts/Field.tsx"
import { attempt, toast } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { can } from "../../server/Session.ts"
import { questionsSource } from "../sources/AddKnowledge.tsx"
import { type Question, QuestionDialog } from "../sources/QuestionDialog.tsx"
import type { SourceParams } from "../sources/SourceData.ts"
import type { Review } from "./Mending.ts"
import { keepTest } from "./TestOfReply.ts"

/*
 * Answers that people write to what was asked, for the chatbot to give them from then on.
 */

/** A question that somebody has asked. */
interface Asked {
  readonly question: string
  /** Other ways in which it was asked. */
  readonly variants?: ReadonlyArray<string>
  /** The answer to begin with. */
  readonly answer?: string
  /** The id of the chatbot's reply, of which a test is made; without one, of the question alone. */
  readonly messageId?: string | undefined
}

interface WritingProps {
  readonly asked: Asked
  /** Takes the question with its answer once that is stored. */
  readonly onStored?: (question: Question) => unknown
  /** Gets the id of the test, and may have that of an earlier one. */
  readonly made?: { value: string | undefined }
}

const QUESTION_MAX_LENGTH = 500
const STATEMENT_MAX_LENGTH = 2_000

const lineOf = (text: string): string => inOneLine(text).slice(0, QUESTION_MAX_LENGTH)

/** The fields of a question that was asked, with each way to ask it once. */
const firstOf = ({ answer = "", question, variants = [] }: Asked) => {
  const [first = "", ...others] = new Map(
    [question, ...variants].map((way) => [lineOf(way).toLowerCase(), lineOf(way)]),
  ).values()
  return { question: first, answer, variants: others.join("\n") }
}

const testScopes = ["chatbots:write", "conversations:read", "knowledge:read"] as const

const WritingDialog = ({ asked, made, onStored, params }: WritingProps & { readonly params: SourceParams }) => {
  const { chatbotId } = params
  const mayTest = testScopes.every((scope) => can(scope, chatbotId))
  const isTest = useSignal(mayTest)
  const stored = async (pair: Question): Promise<void> => {
    void onStored?.(pair)
    toast("Answer saved. The chatbot gives it from now on.")
    if (!isTest.value) return
    const { answer, document_id, question } = pair
    const { messageId } = asked
    const say = [{ kind: "judge", value: inOneLine(answer).slice(0, STATEMENT_MAX_LENGTH) }] as const
    const of = messageId === undefined ? { question } : { message_id: messageId }
    // Where this fails, the answer is stored all the same, and the form must not store it once more.
    await attempt(() => keepTest(chatbotId, of, { find: [{ document_id, title: question }], say }, made))
  }
  return (
    <QuestionDialog title="Write the answer" first={firstOf(asked)} params={params} onStored={stored}>
      {mayTest && <Checkbox label="Keep as a test" {...bind(isTest)} />}
    </QuestionDialog>
  )
}

/** Has the person write the answer to a question that was asked, among the chatbot's questions and answers. */
export const writeAnswer = async (chatbotId: string, props: WritingProps): Promise<void> => {
  const params = { chatbotId, sourceId: (await questionsSource(chatbotId)).id }
  openDialog(<WritingDialog {...props} params={params} />)
}

/** What was asked before a reply: by itself, as it was searched for, and in the visitor's words where these need no others. */
export const askedBefore = ({
  history,
  message_id: messageId,
  question,
  standalone_question: alone,
}: Review): Asked => ({
  question: alone ?? question,
  variants: history.length === 0 ? [question] : [],
  messageId,
})

interface ButtonProps {
  readonly chatbotId: string
  readonly messageId: string
  /** Other ways in which the question was asked. */
  readonly variants?: ReadonlyArray<string>
}

/** A button to write the answer that a reply should have been, for who may. */
export const WriteAnswer = ({ chatbotId, messageId, variants = [] }: ButtonProps) => {
  if (!can("knowledge:write", chatbotId) || !can("knowledge:read", chatbotId)) return null
  const write = async (): Promise<void> => {
    const params = { chatbotId, messageId }
    const asked = askedBefore((await call("GET /api/external/chatbot/:chatbotId/replies/:messageId", { params })).reply)
    await writeAnswer(chatbotId, { asked: { ...asked, variants: [...(asked.variants ?? []), ...variants] } })
  }
  return (
    <Button small icon={MessageCircleQuestionMark} onClick={write}>
      Write the answer
    </Button>
  )
}
