import type { VNode } from "preact"
import { fill } from "../languages/Language.ts"
import type { Reply } from "../model/Entries.ts"
import { useWidget } from "./Context.ts"

/** The documents that a reply rests on, each of which opens its passage. */
export const Sources = ({ reply }: { readonly reply: Reply }): VNode | null => {
  const { language, openSource } = useWidget()
  const { number, texts } = language.value
  const { value: sources } = reply.sources
  if (sources.length === 0) return null
  return (
    <ul class="sources row" aria-label={texts.sources}>
      {sources.map((source) => (
        <li key={source.index}>
          <button
            type="button"
            class="source ellipsis"
            dir="auto"
            title={source.quote}
            aria-haspopup="dialog"
            onClick={() => (openSource.value = { reply, source })}
          >
            <bdi>{source.title}</bdi>
            {source.page !== null && <span> · {fill(texts.page, { n: number(source.page) })}</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}
