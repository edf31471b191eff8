import { signal, type Signal, useSignal } from "@preact/signals"
import { Send, Sparkles, StickyNote, Zap } from "lucide"
import { useId, useRef } from "preact/hooks"
import { AttachButton, Chosen, takingFiles } from "../../../shared/Attachments.tsx"
import { plural } from "../../../shared/Format.ts"
import { randomUuid } from "../../../shared/Random.ts"
import { attachingTexts, useUploads } from "../../parts/Attaching.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { Tabs } from "../../parts/Layout.tsx"
import { useShortcuts } from "../../parts/Shortcuts.ts"
import { attempt } from "../../parts/Toast.ts"
import { type Answer, call } from "../../server/Api.ts"
import { put, useResource } from "../../server/Resource.ts"
import { root } from "../../server/Root.ts"
import { can } from "../../server/Session.ts"
import { type Conversation, eventsOf, mayWrite, messagesOf, showChanged } from "../conversations/ConversationData.ts"
import { passageOf, Passages } from "../playground/Passages.tsx"
import { cannedAnswers, manageCannedAnswers, matching } from "./Canned.tsx"
import { noRight } from "./Actions.tsx"
import type { PresenceHere } from "./Presence.ts"

const route = "/api/external/chatbot/:chatbotId/conversations/:sessionId"

type Draft = Answer<`POST ${typeof route}/draft`>["draft"]

/** A draft without the places of its sources at the ends of lines, such as `(Refunds)`: these are listed below it. */
export const draftText = ({ output, sources }: Pick<Draft, "output" | "sources">): string => {
  const places = sources.flatMap(({ title }) => [`(${title})`, `(${title} › `])
  const lineOf = (line: string): string => {
    const at = line.lastIndexOf("(")
    const isPlace = line.endsWith(")") && places.some((place) => line.startsWith(place, at))
    return isPlace ? line.slice(0, at).trimEnd() : line
  }
  return output.split("\n").map(lineOf).join("\n").trimEnd()
}

const modes = { answer: "Answer", note: "Note" } as const

const begun = new Map<string, Signal<string>>()

/** What was written in a conversation and is not sent, as long as the page is open. */
const textOf = (sessionId: string): Signal<string> => {
  const known = begun.get(sessionId) ?? signal("")
  begun.set(sessionId, known)
  return known
}

interface ComposerProps {
  readonly of: Conversation
  readonly presence: PresenceHere
  readonly onSent: () => void
}

/** Writes to the visitor, or a note to colleagues. */
export const Composer = ({ of, onSent, presence }: ComposerProps) => {
  const { chatbot_id: chatbotId, id: sessionId } = of
  const params = { chatbotId, sessionId }
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const text = textOf(sessionId)
  /** The id of the message that is being written: one that is sent again, because its answer was lost, is stored once. */
  const message = useRef(randomUuid())
  const uploads = useUploads(chatbotId, sessionId)
  const mode = useSignal<keyof typeof modes>("answer")
  const isBusy = useSignal(false)
  const isDrafting = useSignal(false)
  const sources = useSignal<Draft["sources"]>([])
  const active = useSignal(0)
  const answers = useResource(cannedAnswers(chatbotId)).data.value ?? []
  const isNote = mode.value === "note"
  const offered = isNote ? [] : matching(answers, text.value)
  const chosen = offered[Math.min(active.value, offered.length - 1)]

  const maySend = text.value.trim() === "" ? !isNote && uploads.areReady : isNote || !uploads.areWaiting

  const write = (value: string): void => {
    text.value = value
    active.value = 0
    if (isNote) return
    if (value === "") presence.rest()
    else presence.write()
  }
  const begin = (next: keyof typeof modes): void => {
    mode.value = next
    area.current?.focus()
  }
  const send = async (): Promise<void> => {
    if (!maySend || isBusy.value) return
    const content = text.value.trim()
    isBusy.value = true
    await attempt(async () => {
      if (isNote)
        put(
          eventsOf(chatbotId, sessionId),
          (await call(`POST ${route}/notes`, { params, body: { text: content } })).event,
        )
      else {
        const { message: stored, session } = await call(`POST ${route}/messages`, {
          params,
          body: { content, id: message.current, attachments: uploads.uploaded.map((file) => file.id) },
        })
        const messages = messagesOf(chatbotId, sessionId)
        const known = messages.data.peek()
        if (known?.items.every((each) => each.id !== stored.id) === true)
          messages.set({ ...known, items: [...known.items, stored] })
        showChanged(session)
        message.current = randomUuid()
        presence.rest()
        uploads.take()
      }
      onSent()
      text.value = ""
      sources.value = []
      mode.value = "answer"
    })
    isBusy.value = false
    area.current?.focus()
  }
  const draft = async (): Promise<void> => {
    isDrafting.value = true
    await attempt(async () => {
      const { draft } = await call(`POST ${route}/draft`, { params })
      write([text.value.trim(), draftText(draft)].filter(Boolean).join("\n\n"))
      sources.value = draft.sources
    })
    isDrafting.value = false
    area.current?.focus()
  }
  const insert = (content: string): void => {
    write(content)
    area.current?.focus()
  }
  useShortcuts([
    { key: "r", label: "Answer the visitor", run: () => begin("answer") },
    { key: "n", label: "Write a note", run: () => begin("note") },
    { key: "d", label: "Draft an answer", run: () => mayDraft && void draft() },
  ])
  const mayDraft = mayWrite() && can("chat")
  if (!mayWrite()) return <p class="desk-composer soft small">{noRight}</p>
  return (
    <fieldset class={`desk-composer stack tight${isNote ? " is-note" : ""}`}>
      <legend class="visually-hidden">Write</legend>
      <div class="row apart">
        <Tabs label="Kind of message" value={mode.value} onValue={begin} options={modes} />
        <span class="soft small">
          {isNote
            ? "For colleagues. Visitors never see it."
            : of.handover?.owner === "people"
              ? "Type / for canned answers."
              : "The chatbot answers here. Your answer takes the conversation over."}
        </span>
      </div>
      {offered.length > 0 && (
        <ul class="canned box rows" id={id} aria-label="Canned answers">
          {offered.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                class={`entry row nowrap${each === chosen ? " active" : ""}`}
                onClick={() => insert(each.content)}
              >
                <strong>/{each.shortcut}</strong>
                <span class="soft ellipsis">{each.content}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <output class="visually-hidden">{chosen && `/${chosen.shortcut}: ${chosen.content}`}</output>
      {!isNote && <Chosen uploads={uploads} root={root} texts={attachingTexts} />}
      <textarea
        ref={area}
        {...takingFiles(isNote ? undefined : uploads)}
        class="input area"
        rows={2}
        dir="auto"
        aria-label={isNote ? "Note for colleagues" : "Answer to the visitor"}
        placeholder={isNote ? "Write a note" : "Write to the visitor"}
        aria-controls={offered.length > 0 ? id : undefined}
        value={text.value}
        onInput={({ currentTarget }) => write(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return
          const isSending = event.key === "Enter" && (event.ctrlKey || event.metaKey)
          if (isSending) void send()
          else if (chosen !== undefined && event.key === "Enter") insert(chosen.content)
          else if (chosen !== undefined && (event.key === "ArrowDown" || event.key === "ArrowUp"))
            active.value = Math.max(
              0,
              Math.min(offered.length - 1, active.value + (event.key === "ArrowDown" ? 1 : -1)),
            )
          else if (event.key === "Escape") event.currentTarget.blur()
          else return
          event.preventDefault()
        }}
      />
      {sources.value.length > 0 && !isNote && (
        <details class="small">
          <summary>Drafted from {plural(sources.value.length, "source")}</summary>
          <Passages passages={sources.value.map((source) => passageOf({ ...source }))} />
        </details>
      )}
      <div class="row apart">
        <div class="row">
          <Button
            small
            icon={Sparkles}
            busy={isDrafting.value}
            disabled={!mayDraft || isNote}
            title={mayDraft ? undefined : "Drafts need the permission Chat."}
            onClick={draft}
          >
            Draft
          </Button>
          {!isNote && <AttachButton label="Attach a file" uploads={uploads} />}
          <Button small kind="quiet" icon={Zap} onClick={() => manageCannedAnswers(chatbotId)}>
            Canned answers
          </Button>
        </div>
        <Button
          kind="primary"
          icon={isNote ? StickyNote : Send}
          busy={isBusy.value}
          disabled={!maySend}
          title="Ctrl Enter"
          onClick={send}
        >
          {isNote ? "Add note" : "Send"}
        </Button>
      </div>
    </fieldset>
  )
}
