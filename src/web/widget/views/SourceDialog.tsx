import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { WidgetSource } from "../../../domain/widget/Widget.ts"
import { highlight, rangeIn } from "../../shared/Highlights.ts"
import { blocksOf } from "../../shared/markdown/Blocks.ts"
import { Markdown } from "../../shared/markdown/Markdown.tsx"
import { fill } from "../languages/Language.ts"
import { Failure, failureFrom } from "../model/Failure.ts"
import type { OpenSources } from "../model/Widget.ts"
import { useWidget } from "./Context.ts"
import { Dialog } from "./Dialog.tsx"
import { FailureNote } from "./FailureNote.tsx"

interface Passage {
  readonly section: string | null
  readonly content: string
}

export const SourceDialog = (): VNode | null => {
  const { value: open } = useWidget().openSources
  return open === undefined ? null : <OpenDialog key={`${open.reply.key} ${open.sources[0].index}`} {...open} />
}

/** The passages of a document that a reply rests on, with the quotes marked. */
const OpenDialog = ({ reply, sources }: OpenSources): VNode => {
  const { chat, host, openSources } = useWidget()
  const passages = useSignal<ReadonlyArray<Passage> | Failure | undefined>(undefined)
  const passageOf = ({ index, quote }: WidgetSource): Passage | Promise<Passage> => {
    if (host.mode === "preview") return { section: null, content: quote }
    const path = `conversations/${chat.conversation.value}/messages/${reply.id.value}/sources/${index}`
    return chat.client.json<Passage>("GET", path)
  }
  const load = async () => {
    passages.value = await Promise.all(sources.map(passageOf)).catch(failureFrom)
  }
  useEffect(() => void load(), [])
  const { value: loaded } = passages
  const contents = loaded === undefined || loaded instanceof Failure ? [] : loaded
  return (
    <Dialog title={sources[0].title} onClose={() => (openSources.value = undefined)}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls has to be reachable by keyboard. */}
      <div class="passages" tabIndex={0}>
        {sources.map((source, place) => {
          const passage = contents[place]
          // Two quotes may come from one passage, which is shown once.
          const isRepeated = contents.findIndex((other) => other.content === passage?.content) < place
          return isRepeated && passage !== undefined ? null : (
            <PassageView key={source.index} source={source} passage={passage} isFirst={place === 0} />
          )
        })}
      </div>
      {loaded instanceof Failure && <FailureNote failure={loaded} onRetry={() => void load()} />}
    </Dialog>
  )
}

interface PassageViewProps {
  readonly source: WidgetSource
  /** Absent until it is loaded: what the reply quotes is known already. */
  readonly passage: Passage | undefined
  readonly isFirst: boolean
}

const PassageView = ({ isFirst, passage, source }: PassageViewProps): VNode => {
  const { number, texts } = useWidget().language.value
  const content = passage?.content ?? source.quote
  const blocks = useMemo(() => blocksOf(content), [content])
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const range = shown.current === null ? undefined : rangeIn(shown.current, source.quote)
    if (range === undefined) return undefined
    if (isFirst) range.startContainer.parentElement?.scrollIntoView({ block: "center" })
    return highlight([range])
  }, [blocks])
  const place = [passage?.section, source.page === null ? null : fill(texts.page, { n: number(source.page) })].filter(
    Boolean,
  )
  return (
    <>
      {place.length > 0 && (
        <p class="note">
          <bdi>{place.join(" · ")}</bdi>
        </p>
      )}
      <div class="passage" ref={shown}>
        <Markdown blocks={blocks} texts={texts} />
      </div>
    </>
  )
}
