import type { ComponentChildren, VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { highlight, rangeIn } from "./Highlights.ts"

interface UnsupportedProps {
  /** The text of a reply. */
  readonly children: ComponentChildren
  /** The sentences of the text that no passage supports. */
  readonly sentences: ReadonlyArray<string>
  /** The name of their list. */
  readonly label: string
}

/** A reply whose sentences without a passage are underlined, and listed below for those who do not see that. */
export const Unsupported = ({ children, label, sentences }: UnsupportedProps): VNode => {
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = shown.current
    if (root === null || sentences.length === 0) return undefined
    return highlight(
      sentences.flatMap((sentence) => rangeIn(root, sentence) ?? []),
      "unsupported",
    )
  }, [children, sentences])
  return (
    <>
      <div ref={shown}>{children}</div>
      {sentences.length > 0 && (
        <details class="unsupported">
          <summary>{label}</summary>
          <ul>
            {sentences.map((sentence) => (
              <li key={sentence} dir="auto">
                {sentence}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
