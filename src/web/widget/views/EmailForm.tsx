import type { VNode } from "preact"
import { focusOn, useTexts } from "./Context.ts"

/** Asks for the visitor's e-mail address, which the browser examines; an empty answer declines. */
export const EmailForm = ({ answer }: { readonly answer: (email: string) => void }): VNode => {
  const texts = useTexts()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (event.currentTarget instanceof HTMLFormElement) answer(String(new FormData(event.currentTarget).get("email")))
  }
  return (
    <form class="row email" onSubmit={submit}>
      <label for="email">{texts.emailQuestion}</label>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        required
        placeholder={texts.email}
        ref={focusOn}
      />
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
