import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import type { WidgetPerson } from "../../../domain/widget/Widget.ts"
import type { WidgetTexts } from "../../../language/WidgetTexts.ts"
import { fill } from "../languages/Language.ts"
import type { Widget } from "../model/Widget.ts"
import { focusOn, useWidget } from "./Context.ts"

const MESSAGE_MAX_LENGTH = 32_000

/** The picture of a person, or the first letter of the name where there is none that can be loaded. */
export const PersonImage = ({ person: { avatar = "", name } }: { readonly person: WidgetPerson }): VNode => {
  const { config } = useWidget()
  const hasFailed = useSignal(false)
  return avatar !== "" && !hasFailed.value ? (
    <img class="avatar" src={avatar} alt="" width="28" height="28" onError={() => (hasFailed.value = true)} />
  ) : (
    <span class="avatar letter" aria-hidden="true">
      {Array.from(name || config.value.name)[0]?.toUpperCase()}
    </span>
  )
}

/** The person who answers: the one who looks after the conversation, or else has written last. */
const personOf = ({ chat: { entries, people } }: Widget): WidgetPerson | undefined =>
  people.handover.value?.assignee ?? entries.value.findLast((entry) => entry.kind === "reply")?.sender

/** Says who answers, in a conversation of people or one that was theirs. */
export const statusOf = (widget: Widget, texts: WidgetTexts): string => {
  const { chat, config } = widget
  const person = personOf(widget)
  if (!chat.people.areThere) return chat.people.handover.value !== null && person !== undefined ? texts.returned : ""
  if (person !== undefined) return fill(texts.joined, { name: person.name || config.value.name })
  return config.value.handover?.is_open === false ? texts.leftMessage : texts.waiting
}

/** A line above the composer: who answers or writes, and a way to talk to a person. */
export const PeopleLine = (): VNode | null => {
  const widget = useWidget()
  const { chat, config, focusRequests, host, language } = widget
  const { people } = chat
  const { texts } = language.value
  const { value: writing } = people.writing
  const status = statusOf(widget, texts)
  const person = writing ?? personOf(widget)
  const mayAsk = config.value.handover?.button === true && config.value.is_active && !chat.isGone.value
  if (status === "" && !mayAsk) return null
  const ask = () => {
    if (host.mode === "preview") return
    void chat.askForPerson().then(() => {
      if (people.wish.value !== "form") focusRequests.value += 1
    })
  }
  return (
    <div class="row nowrap people note">
      {people.areThere && person !== undefined && <PersonImage person={person} />}
      {people.wish.value === "message" ? (
        <output class="told">{texts.askPerson}</output>
      ) : (
        status !== "" && (
          <span class="told">
            {writing === null ? status : fill(texts.writing, { name: writing.name || config.value.name })}
          </span>
        )
      )}
      {!people.areThere && mayAsk && people.wish.value === undefined && (
        <button type="button" class="quiet-button" onClick={ask}>
          {texts.person}
        </button>
      )}
    </div>
  )
}

/** Takes a message and an address to answer to, while nobody is there. */
export const OfflineForm = (): VNode | null => {
  const { chat, focusRequests, language } = useWidget()
  const { texts } = language.value
  const isRefused = useSignal(false)
  if (chat.people.wish.value !== "form") return null
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const { currentTarget: form } = event
    if (!(form instanceof HTMLFormElement)) return
    const data = new FormData(form)
    const message = String(data.get("message")).trim()
    const wrong = form.querySelector<HTMLElement>(message === "" ? "textarea" : "input:invalid")
    isRefused.value = wrong instanceof HTMLInputElement
    if (wrong !== null) return wrong.focus()
    void chat.send(message, String(data.get("email")))
    focusRequests.value += 1
  }
  return (
    // What the browser would say covers the buttons, and is in the language of the browser.
    <form class="email" onSubmit={submit} noValidate>
      <p>{texts.away}</p>
      <textarea
        name="message"
        rows={3}
        required
        maxLength={MESSAGE_MAX_LENGTH}
        aria-label={texts.placeholder}
        placeholder={texts.placeholder}
        ref={focusOn}
      />
      <input
        name="email"
        type="email"
        autocomplete="email"
        dir="ltr"
        required
        aria-label={texts.email}
        placeholder={texts.email}
        aria-invalid={isRefused}
        onInput={() => (isRefused.value = false)}
      />
      {isRefused.value && (
        <p class="failure" role="alert">
          {texts.emailInvalid}
        </p>
      )}
      <div class="row">
        <button type="submit" class="small-button" disabled={chat.current.value !== undefined}>
          {texts.send}
        </button>
        <button type="button" class="quiet-button" onClick={() => (chat.people.wish.value = undefined)}>
          {texts.cancel}
        </button>
      </div>
    </form>
  )
}
