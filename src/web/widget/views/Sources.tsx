import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { fill } from "../languages/Language.ts"
import type { Reply } from "../model/Entries.ts"
import { useWidget } from "./Context.ts"

/** Sources that are shown before the visitor asks for all of them. */
const SHOWN = 3

/** The documents that a reply rests on, each of which opens its passage. */
export const Sources = ({ reply }: { readonly reply: Reply }): VNode | null => {
  const { language, openSource } = useWidget()
  const { count, number, texts } = language.value
  const areAllShown = useSignal(false)
  const { value: sources } = reply.sources
  if (sources.length === 0) return null
  const shown = areAllShown.value || sources.length <= SHOWN + 1 ? sources : sources.slice(0, SHOWN)
  return (
    <ul class="sources row" aria-label={texts.sources}>
      {shown.map((source) => (
        <li key={source.index}>
          <button
            type="button"
            class="source one-line"
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
      {shown.length < sources.length && (
        <li>
          <button type="button" class="source" onClick={() => (areAllShown.value = true)}>
            {count(texts.moreSources, sources.length - shown.length)}
          </button>
        </li>
      )}
    </ul>
  )
}
