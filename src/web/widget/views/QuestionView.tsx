import type { VNode } from "preact"
import type { Question } from "../model/Entries.ts"
import { useWidget } from "./Context.ts"
import { FailureNote } from "./FailureNote.tsx"

interface QuestionViewProps {
  readonly question: Question
  readonly isLast: boolean
}

/** A message of the visitor, as it was written. */
export const QuestionView = ({ isLast, question }: QuestionViewProps): VNode => {
  const { chat, language } = useWidget()
  const { value: failure } = question.failure
  const { texts } = language.value
  // After a reload nothing says why there is no reply.
  const isUnanswered = isLast && chat.current.value === undefined && !chat.isLoading.value && failure === undefined
  const retry = () => void chat.retry(question)
  return (
    <article class="question">
      <span class="visually-hidden">{texts.you}: </span>
      <div class="bubble" dir="auto">
        {question.text}
      </div>
      {failure !== undefined && (
        <FailureNote
          failure={failure}
          onRetry={failure.kind === "refused" || failure.kind === "gone" ? undefined : retry}
        />
      )}
      {isUnanswered && (
        <button type="button" class="link-button" onClick={retry}>
          {texts.tryAgain}
        </button>
      )}
    </article>
  )
}
