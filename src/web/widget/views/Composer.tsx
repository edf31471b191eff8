import { useSignal, useSignalEffect } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { ArrowUp, Square } from "lucide"
import { AttachButton, Chosen, takingFiles, Uploads } from "../../shared/Attachments.tsx"
import { failureFrom } from "../model/Failure.ts"
import { wordsOf } from "./FailureNote.tsx"
import { useWidget } from "./Context.ts"
import { CallButton } from "./CallButton.tsx"
import { IconButton } from "./IconButton.tsx"
import { PeopleLine } from "./People.tsx"

const MAX_LENGTH = 32_000

const growsByItself = CSS.supports("field-sizing", "content")

/** The field in which visitors write. The text stays until it is sent, also over a reload. */
export const Composer = (): VNode => {
  const { chat, config, focusRequests, host, language } = useWidget()
  const { count, texts } = language.value
  const [uploads] = useState(
    () =>
      new Uploads(
        (form) => chat.upload(form),
        (error) => {
          const failure = failureFrom(error)
          return failure.kind === "refused" ? language.value.texts.fileRefused : wordsOf(failure, language.value)
        },
      ),
  )
  // A message that asks for a person has words alone.
  const mayAttach = config.value.attachments && host.mode !== "preview" && chat.people.wish.value === undefined
  const text = useSignal(host.state.value?.draft ?? "")
  const field = useRef<HTMLTextAreaElement>(null)
  const isBusy = chat.current.value !== undefined
  const isWriting = isBusy && !chat.people.areThere && chat.people.wish.value === undefined
  const excess = text.value.length - MAX_LENGTH
  const isDisclosed = !chat.people.areThere
  const notes = [isDisclosed && "disclosure", excess > 0 && "excess"].filter(Boolean)
  const mayTalk = config.value.is_active && !chat.isGone.value
  const maySend =
    mayTalk &&
    !isBusy &&
    excess <= 0 &&
    !uploads.areWaiting &&
    (text.value.trim() !== "" || uploads.areReady) &&
    host.mode !== "preview"

  const change = (value: string) => {
    text.value = value
    if (value !== "") chat.people.tellWriting(chat.conversation.value)
    // What is too long to send would be too much to keep.
    chat.keep({ draft: value.slice(0, MAX_LENGTH) })
  }
  const send = () => {
    if (!maySend) return
    const message = text.value.trim()
    void chat.send(message, undefined, uploads.take())
    chat.people.tellWritten(chat.conversation.value)
    change("")
  }

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

  return (
    <footer class="footer">
      {!config.value.is_active && <p class="note">{texts.spent}</p>}
      <PeopleLine />
      <Chosen uploads={uploads} root={chat.client.root} texts={texts} />
      <form
        {...takingFiles(mayAttach ? uploads : undefined)}
        class="row nowrap composer"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        {mayAttach && <AttachButton label={texts.attach} uploads={uploads} />}
        <textarea
          ref={field}
          rows={1}
          // Without a text there is nothing to go by, and the placeholder has the direction of its language.
          dir={text.value === "" ? undefined : "auto"}
          value={text}
          placeholder={texts.placeholder}
          aria-label={texts.placeholder}
          aria-invalid={excess > 0}
          aria-describedby={notes.join(" ") || undefined}
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
        {mayTalk && <CallButton />}
        {isWriting ? (
          <IconButton class="send" icon={Square} size={16} label={texts.stop} onClick={() => void chat.stop()} />
        ) : (
          <IconButton class="send" type="submit" icon={ArrowUp} label={texts.send} disabled={!maySend} />
        )}
      </form>
      {isDisclosed && (
        <p id="disclosure" class="note" dir="auto">
          {config.value.disclosure || texts.disclosure}
        </p>
      )}
      {excess > 0 && (
        <p id="excess" class="failure">
          {count(texts.charactersOver, excess)}
        </p>
      )}
    </footer>
  )
}
