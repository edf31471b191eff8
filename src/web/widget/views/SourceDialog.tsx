import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect } from "preact/hooks"
import { markQuote } from "../../shared/Quote.ts"
import { fill } from "../languages/Language.ts"
import { Failure, failureFrom } from "../model/Failure.ts"
import type { OpenSource } from "../model/Widget.ts"
import { useWidget } from "./Context.ts"
import { Dialog } from "./Dialog.tsx"
import { FailureNote } from "./FailureNote.tsx"

interface Passage {
  readonly section: string | null
  readonly content: string
}

const reveal = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "center" })

export const SourceDialog = (): VNode | null => {
  const { value: open } = useWidget().openSource
  return open === undefined ? null : <OpenDialog key={`${open.reply.key} ${open.source.index}`} {...open} />
}

/** The passage that a reply rests on, with the quote marked. */
const OpenDialog = ({ reply, source }: OpenSource): VNode => {
  const { chat, host, language, openSource } = useWidget()
  const { number, texts } = language.value
  const passage = useSignal<Passage | Failure | undefined>(undefined)
  const load = async () => {
    if (host.mode === "preview") return void (passage.value = { section: null, content: source.quote })
    const path = `conversations/${chat.conversation.value}/messages/${reply.id.value}/sources/${source.index}`
    passage.value = await chat.client.json<Passage>("GET", path).catch(failureFrom)
  }
  useEffect(() => void load(), [])
  const { value: loaded } = passage
  const isThere = loaded !== undefined && !(loaded instanceof Failure)
  // What the reply quotes is known already.
  const { after, before, quote } = isThere
    ? markQuote(loaded.content, source.quote)
    : { before: "", quote: source.quote, after: "" }
  const place = [
    isThere ? loaded.section : null,
    source.page === null ? null : fill(texts.page, { n: number(source.page) }),
  ].filter((part) => part !== null && part !== "")
  return (
    <Dialog title={source.title} onClose={() => (openSource.value = undefined)}>
      {place.length > 0 && (
        <p class="note">
          <bdi>{place.join(" · ")}</bdi>
        </p>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls has to be reachable by keyboard. */}
      <div class="passage" dir="auto" tabIndex={0}>
        {before}
        {quote !== "" && <mark ref={reveal}>{quote}</mark>}
        {after}
      </div>
      {loaded instanceof Failure && <FailureNote failure={loaded} onRetry={() => void load()} />}
    </Dialog>
  )
}
