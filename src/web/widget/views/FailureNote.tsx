import type { VNode } from "preact"
import { Icon } from "../../shared/Icon.tsx"
import type { Failure } from "../model/Failure.ts"
import { useWidget } from "./Context.ts"
import { wordsOf } from "./Words.ts"
import failureIcon from "icon:circle-alert"

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
      <Icon nodes={failureIcon} size={16} />
      <span>
        {wordsOf(failure, language.value)}{" "}
        {onRetry !== undefined && (
          <button type="button" class="link-button" onClick={onRetry}>
            {language.value.texts.tryAgain}
          </button>
        )}
      </span>
    </p>
  )
}
