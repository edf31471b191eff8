import type { VNode } from "preact"
import type { WidgetSource } from "../../../domain/widget/Widget.ts"
import { fill } from "../languages/Language.ts"
import type { Reply } from "../model/Entries.ts"
import type { OpenSources } from "../model/Widget.ts"
import { useWidget } from "./Context.ts"

/** Groups sources by the title of their document, in the order in which the reply cites them. */
const byDocument = (sources: ReadonlyArray<WidgetSource>): ReadonlyArray<OpenSources["sources"]> => {
  const groups = new Map<string, [WidgetSource, ...Array<WidgetSource>]>()
  for (const source of sources) {
    const group = groups.get(source.title)
    if (group === undefined) groups.set(source.title, [source])
    else group.push(source)
  }
  return Array.from(groups.values())
}

/** The documents that a reply rests on, each of which opens its passages. */
export const Sources = ({ reply }: { readonly reply: Reply }): VNode | null => {
  const { language, openSources } = useWidget()
  const { number, texts } = language.value
  const { value: cited } = reply.sources
  if (cited.length === 0) return null
  return (
    <ul class="sources row" aria-label={texts.sources}>
      {byDocument(cited).map((sources) => {
        const [{ index, quote, title }] = sources
        const pages = new Set(sources.flatMap(({ page }) => (page === null ? [] : [number(page)])))
        return (
          <li key={index}>
            <button
              type="button"
              class="source ellipsis"
              dir="auto"
              title={quote}
              aria-haspopup="dialog"
              onClick={() => (openSources.value = { reply, sources })}
            >
              {title}
              {pages.size > 0 && <span> · {fill(texts.page, { n: Array.from(pages).join(", ") })}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
