import { useSignal } from "@preact/signals"
import { Check, Copy, RefreshCw } from "lucide"
import type { VNode } from "preact"
import { useEffect } from "preact/hooks"
import type { WidgetSource } from "../../../domain/widget/Widget.ts"
import type { WidgetTexts } from "../../../language/WidgetTexts.ts"
import { Attached } from "../../shared/Attachments.tsx"
import { Markdown, useCopy } from "../../shared/markdown/Markdown.tsx"
import { Unsupported } from "../../shared/Unsupported.tsx"
import { fill } from "../languages/Language.ts"
import type { Activity, Reply } from "../model/Entries.ts"
import type { OpenSources } from "../model/Widget.ts"
import { useWidget } from "./Context.ts"
import { PersonImage } from "./People.tsx"
import { FailureNote } from "./FailureNote.tsx"
import { ToolButton } from "./IconButton.tsx"
import { RatingButtons } from "./RatingButtons.tsx"

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

/** The documents that a reply rests on: a page is opened where it is quoted, of a file the passages are shown. */
const Sources = ({ reply }: { readonly reply: Reply }): VNode | null => {
  const { language, openSources } = useWidget()
  const { number, texts } = language.value
  const { value: cited } = reply.sources
  if (cited.length === 0) return null
  return (
    <ul class="sources row" aria-label={texts.sources}>
      {byDocument(cited).map((sources) => {
        const [{ index, quote, title, url }] = sources
        const pages = new Set(sources.flatMap(({ page }) => (page === null ? [] : [number(page)])))
        return (
          <li key={index}>
            {url !== undefined ? (
              <a class="source ellipsis" dir="auto" title={quote} href={url} target="_blank" rel="noopener noreferrer">
                {title}
              </a>
            ) : (
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
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** A visitor who has waited this long is told that it goes on. */
const PATIENCE_MILLIS = 8_000

/** A reply of the chatbot: its text, what it rests on, and what can be done with it. */
export const ReplyView = ({ isLast, reply }: { readonly reply: Reply; readonly isLast: boolean }): VNode => {
  const { chat, config, language } = useWidget()
  const { avatar, name } = config.value
  const { texts } = language.value
  const { value: phase } = reply.phase
  const { value: failure } = reply.failure
  const { isOver } = reply
  const again = () => void chat.regenerate(reply)
  const { sender } = reply
  const mayAskAgain =
    isLast &&
    sender === undefined &&
    !chat.people.areThere &&
    isOver &&
    chat.current.value === undefined &&
    !chat.isGone.value
  return (
    <article class="reply" data-phase={phase} aria-busy={!isOver}>
      {sender !== undefined ? (
        <PersonImage person={sender} />
      ) : (
        avatar !== "" && <img class="avatar" src={avatar} alt="" width="28" height="28" />
      )}
      <p class={sender === undefined ? "visually-hidden" : "note"} dir="auto">
        {sender?.name || name}
        <span class="visually-hidden">: </span>
      </p>
      {/* A component of its own, so that a piece of text renders nothing else. */}
      <ReplyText reply={reply} />
      <Attached files={reply.files} root={chat.client.root} />
      {!isOver && <Doing reply={reply} />}
      {phase === "stopped" && <p class="note">{texts.stopped}</p>}
      {phase === "broken" && failure === undefined && <p class="note">{texts.interrupted}</p>}
      {failure !== undefined && <FailureNote failure={failure} onRetry={mayAskAgain ? again : undefined} />}
      {isOver && <Sources reply={reply} />}
      {isOver && (
        <div class="tools row">
          {reply.text !== "" && <CopyTool text={reply.text} />}
          {phase === "finished" && sender === undefined && <RatingButtons reply={reply} />}
          {mayAskAgain && failure === undefined && (
            <ToolButton icon={RefreshCw} label={texts.askAgain} onClick={again} />
          )}
        </div>
      )}
    </article>
  )
}

const CopyTool = ({ text }: { readonly text: string }): VNode => {
  const { texts } = useWidget().language.value
  const { copy, isCopied } = useCopy(text)
  const [icon, label] = isCopied.value ? ([Check, texts.copied] as const) : ([Copy, texts.copy] as const)
  return <ToolButton {...{ icon, label }} onClick={copy} />
}

const ReplyText = ({ reply }: { readonly reply: Reply }): VNode | null => {
  const { number, texts } = useWidget().language.value
  const { value: blocks } = reply.blocks
  const { value: sentences } = reply.unsupported
  if (blocks.length === 0) return null
  return (
    <Unsupported sentences={sentences} label={fill(texts.unsupported, { n: number(sentences.length) })}>
      <Markdown blocks={blocks} texts={texts} />
    </Unsupported>
  )
}

const wordsFor = (activity: Activity | undefined, texts: WidgetTexts): string => {
  if (activity === undefined || activity.tool === "other") return texts.thinking
  return activity.query === undefined ? texts.reading : fill(texts.searchingFor, { query: activity.query })
}

const Doing = ({ reply }: { readonly reply: Reply }): VNode | null => {
  const { chat, language } = useWidget()
  const { texts } = language.value
  const isLong = useSignal(false)
  const { value: activity } = reply.activity
  useEffect(() => {
    isLong.value = false
    const timer = setTimeout(() => (isLong.value = true), PATIENCE_MILLIS)
    return () => clearTimeout(timer)
  }, [activity])
  if (chat.isConnectionLost.value) return <p class="note doing">{texts.reconnecting}</p>
  if (reply.phase.value === "writing" && activity === undefined) return null
  return <p class="note doing">{isLong.value ? texts.stillThinking : wordsFor(activity, texts)}</p>
}
