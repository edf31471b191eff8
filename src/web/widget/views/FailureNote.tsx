import type { VNode } from "preact"
import type { Language } from "../languages/Language.ts"
import type { Failure } from "../model/Failure.ts"
import { useWidget } from "./Context.ts"

/** Says in words what went wrong. That the page has to identify the visitor anew is nothing that one could do oneself. */
export const wordsOf = ({ kind }: Failure, { texts }: Language): string => texts[kind === "identity" ? "failed" : kind]

interface FailureNoteProps {
  readonly failure: Failure
  /** Tries again, where this may help. */
  readonly onRetry?: (() => void) | undefined
}

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
