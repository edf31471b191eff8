import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { focusOn, useWidget } from "./Context.ts"

/** Asks for the visitor's e-mail address; an empty answer declines. */
export const EmailForm = ({ answer }: { readonly answer: (email: string) => void }): VNode => {
  const { texts } = useWidget().language.value
  const isInvalid = useSignal(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const input =
      event.currentTarget instanceof HTMLFormElement ? event.currentTarget.elements.namedItem("email") : null
    if (!(input instanceof HTMLInputElement)) return
    isInvalid.value = input.value.trim() === "" || !input.validity.valid
    if (isInvalid.value) input.focus()
    else answer(input.value.trim())
  }
  return (
    <form class="row email" noValidate onSubmit={submit}>
      <label for="email">{texts.emailQuestion}</label>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        required
        placeholder={texts.email}
        aria-invalid={isInvalid.value}
        aria-describedby={isInvalid.value ? "email-invalid" : undefined}
        ref={focusOn}
      />
      {isInvalid.value && (
        <p id="email-invalid" class="failure" role="alert">
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
