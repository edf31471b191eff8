import type { VNode } from "preact"
import type { Failure } from "../model/Failure.ts"
import { useWidget } from "./Context.ts"
import { wordsOf } from "./Words.ts"

interface FailureNoteProps {
  readonly failure: Failure
  /** Tries again, where this may help. */
  readonly onRetry?: (() => void) | undefined
}

/** Says what went wrong, with a way to try again. */
export const FailureNote = ({ failure, onRetry }: FailureNoteProps): VNode => {
  const { language } = useWidget()
  return (
    <p class="failure" role="alert">
      {wordsOf(failure, language.value)}{" "}
      {onRetry !== undefined && (
        <button type="button" class="link-button" onClick={onRetry}>
          {language.value.texts.tryAgain}
        </button>
      )}
    </p>
  )
}
