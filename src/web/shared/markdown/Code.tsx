import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect } from "preact/hooks"
import type { CodePart } from "./Colored.ts"

/** Code is coloured once it has not changed for so long: not with every piece of a stream. */
const SETTLED_MILLIS = 300
/** Longer code stays plain: a page would stand still while its thousands of parts are laid out. */
const MAX_LENGTH = 10_000

/** Code in the colours of its language, which are loaded when the first code is there to be coloured. */
export const Code = ({ language, text }: { readonly text: string; readonly language: string }): VNode => {
  const colors = useSignal<{ readonly of: string; readonly parts: ReadonlyArray<CodePart> } | undefined>(undefined)
  useEffect(() => {
    if (language === "" || text.length > MAX_LENGTH) return undefined
    const timer = setTimeout(async () => {
      // Without a connection, code stays plain.
      const module = await import("./Colored.ts").catch(() => undefined)
      const parts = module?.colored(text, language)
      if (parts !== undefined) colors.value = { of: text, parts }
    }, SETTLED_MILLIS)
    return () => clearTimeout(timer)
  }, [text, language])
  const { value: known } = colors
  return (
    <code>
      {known?.of === text
        ? known.parts.map(({ kind, text: part }, index) =>
            kind === undefined ? (
              part
            ) : (
              <span key={index} class={`code-${kind}`}>
                {part}
              </span>
            ),
          )
        : text}
    </code>
  )
}
