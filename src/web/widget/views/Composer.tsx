import { useSignal, useSignalEffect } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { ArrowUp, Square } from "lucide"
import { useWidget } from "./Context.ts"
import { IconButton } from "./IconButton.tsx"

/** Longest message that the server takes, in UTF-16 code units. */
const MAX_LENGTH = 32_000
/** From here on, the visitor sees how much is left. */
const COUNTED_FROM = 0.9 * MAX_LENGTH
/** A long draft is kept so long after the last keystroke, a short one with each. */
const KEPT_AFTER_MILLIS = 400
const SHORT_LENGTH = 2_000

const growsByItself = CSS.supports("field-sizing", "content")

/** The field in which visitors write. The text stays until it is sent, also over a reload. */
export const Composer = (): VNode => {
  const { chat, config, focusRequests, host, language } = useWidget()
  const { count, texts } = language.value
  const text = useSignal(host.state.value?.draft ?? "")
  const field = useRef<HTMLTextAreaElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isWriting = chat.current.value !== undefined
  const left = MAX_LENGTH - text.value.length
  const mayTalk = config.value.is_active && !chat.isGone.value
  const maySend = mayTalk && !isWriting && left >= 0 && text.value.trim() !== "" && host.mode !== "preview"

  const keep = () => {
    clearTimeout(timer.current)
    // What is too long to send would be too much to keep.
    chat.keep({ draft: text.peek().slice(0, MAX_LENGTH) })
  }
  const change = (value: string) => {
    text.value = value
    clearTimeout(timer.current)
    if (value.length < SHORT_LENGTH) keep()
    else timer.current = setTimeout(keep, KEPT_AFTER_MILLIS)
  }
  const send = () => {
    if (!maySend) return
    const message = text.value.trim()
    text.value = ""
    void chat.send(message)
    keep()
  }

  useEffect(() => {
    addEventListener("pagehide", keep)
    return () => removeEventListener("pagehide", keep)
  }, [])
  useSignalEffect(() => {
    // A phone would cover half of the conversation with its keyboard.
    if (focusRequests.value > 0 && !matchMedia("(pointer: coarse)").matches) field.current?.focus()
  })
  useEffect(() => {
    const { current: area } = field
    if (growsByItself || area === null) return
    area.style.height = "auto"
    area.style.height = `${area.scrollHeight}px`
  }, [text.value])

  const counter = left < 0 ? count(texts.charactersOver, -left) : count(texts.charactersLeft, left)
  return (
    <footer class="footer">
      {!config.value.is_active && <p class="note">{texts.spent}</p>}
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          value={text}
          placeholder={texts.placeholder}
          aria-label={texts.placeholder}
          aria-invalid={left < 0}
          aria-describedby={text.value.length >= COUNTED_FROM ? "counter" : undefined}
          enterkeyhint="send"
          autocomplete="off"
          onInput={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={(event) => {
            // Enter that chooses a word in an input method sends nothing; Safari tells it by the code alone.
            if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return
            event.preventDefault()
            send()
          }}
        />
        {isWriting ? (
          <IconButton class="send" icon={Square} size={16} label={texts.stop} onClick={() => void chat.stop()} />
        ) : (
          <IconButton class="send" type="submit" icon={ArrowUp} label={texts.send} disabled={!maySend} />
        )}
      </form>
      {text.value.length >= COUNTED_FROM && (
        <p id="counter" class={left < 0 ? "failure" : "note"}>
          {counter}
        </p>
      )}
    </footer>
  )
}
