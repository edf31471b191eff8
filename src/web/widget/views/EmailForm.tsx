import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { useRef } from "preact/hooks"
import { focusOn, useTexts } from "./Context.ts"

/** Asks for the visitor's e-mail address, which the browser examines; an empty answer declines. */
export const EmailForm = ({ answer }: { readonly answer: (email: string) => void }): VNode => {
  const texts = useTexts()
  const input = useRef<HTMLInputElement>(null)
  const isRefused = useSignal(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const { current: field } = input
    if (field?.validity.valid === true) return answer(field.value)
    isRefused.value = true
    field?.focus()
  }
  return (
    // What the browser would say covers the buttons, and is in the language of the browser.
    <form class="email" onSubmit={submit} noValidate>
      <label for="email">{texts.emailQuestion}</label>
      <input
        id="email"
        type="email"
        autocomplete="email"
        dir="ltr"
        required
        placeholder={texts.email}
        aria-invalid={isRefused}
        aria-describedby={isRefused.value ? "email-refused" : undefined}
        onInput={() => (isRefused.value = false)}
        ref={(element) => {
          if (input.current === null) focusOn(element)
          input.current = element
        }}
      />
      {isRefused.value && (
        <p id="email-refused" class="failure" role="alert">
          {texts.emailInvalid}
        </p>
      )}
      <div class="row">
        <button type="submit" class="small-button">
          {texts.goOn}
        </button>
        <button type="button" class="quiet-button" onClick={() => answer("")}>
          {texts.skip}
        </button>
      </div>
    </form>
  )
}
