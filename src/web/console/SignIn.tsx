import { useSignal } from "@preact/signals"
import { Button } from "./parts/Button.tsx"
import { TextField } from "./parts/Field.tsx"
import { Problem } from "./parts/States.tsx"
import { type Failure, toFailure } from "./Failure.ts"
import { Wordmark } from "./Wordmark.tsx"
import { signIn } from "./Session.ts"

/** The form to sign in by an API key. */
export const SignInForm = ({ failure: first }: { readonly failure?: Failure | undefined }) => {
  const key = useSignal("")
  const failure = useSignal(first)
  const busy = useSignal(false)
  const submit = async (): Promise<void> => {
    if (key.value.trim() === "") return
    busy.value = true
    failure.value = undefined
    try {
      await signIn({ key: key.value.trim() })
    } catch (error) {
      failure.value = toFailure(error)
    }
    busy.value = false
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {failure.value !== undefined && <Problem failure={failure.value} />}
      <TextField
        label="API key"
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        takesFocus
        required
        value={key.value}
        onValue={(value) => (key.value = value)}
        hint={
          <>
            The first start of the server printed one, and a link that signs in without it.{" "}
            <code>bun run parley keys create</code> makes another.
          </>
        }
      />
      <Button type="submit" kind="primary" busy={busy.value}>
        Sign in
      </Button>
    </form>
  )
}

/** The page of somebody who is not signed in. */
export const SignIn = ({ failure }: { readonly failure?: Failure | undefined }) => (
  <main class="sign-in">
    <div class="sign-in-box">
      <Wordmark />
      <h1>Sign in to the console</h1>
      <SignInForm failure={failure} />
    </div>
  </main>
)
