import { useSignal, useSignalEffect } from "@preact/signals"
import type { VNode } from "preact"
import type { Widget } from "../model/Widget.ts"
import { Composer } from "./Composer.tsx"
import { useWidget, WidgetContext } from "./Context.ts"
import { ConversationsDialog } from "./ConversationsDialog.tsx"
import { wordsOf } from "./FailureNote.tsx"
import { Header } from "./Header.tsx"
import { Messages } from "./Messages.tsx"
import { statusOf } from "./People.tsx"
import { SourceDialog } from "./SourceDialog.tsx"

/** Longer replies are read where they stand. */
const MAX_LENGTH = 3_000
/** Time for which the announcement stays, so that it is not found a second time by those who read on. */
const SHOWN_MILLIS = 5_000

/** Markdown's signs are of no use to listeners. */
const spoken = (text: string): string => text.slice(0, MAX_LENGTH).replaceAll(/\]\([^)]*\)|[*_`#>|[\]~]+/gu, "")

/** Tells a screen reader of a reply once, when it is finished, and of failures. */
const Announcement = (): VNode => {
  const widget = useWidget()
  const { chat, config, language } = widget
  const text = useSignal("")
  const status = statusOf(widget, language.value.texts)
  useSignalEffect(() => {
    const { value: reply } = chat.announced
    if (reply === undefined) return
    const failure = reply.failure.peek()
    text.value = `${reply.sender?.name || config.peek().name}: ${spoken(reply.text)}${failure === undefined ? "" : ` ${wordsOf(failure, language.peek())}`}`
    const timer = setTimeout(() => (text.value = ""), SHOWN_MILLIS)
    return () => clearTimeout(timer)
  })
  return (
    <>
      <output class="visually-hidden" aria-live="polite">
        {text}
      </output>
      <output class="visually-hidden" aria-live="polite">
        {status}
      </output>
    </>
  )
}

export const App = ({ widget }: { readonly widget: Widget }): VNode => (
  <WidgetContext.Provider value={widget}>
    <div class="widget" data-mode={widget.host.mode}>
      <Header />
      <Messages />
      <Composer />
      <ConversationsDialog />
      <SourceDialog />
      <Announcement />
    </div>
  </WidgetContext.Provider>
)
