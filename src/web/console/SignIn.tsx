import { useSignal } from "@preact/signals"
import { bind, TextField } from "./parts/Field.tsx"
import { Form } from "./parts/Dialogs.tsx"
import type { Failure } from "./server/Failure.ts"
import { signIn } from "./server/Session.ts"

export const SignInForm = ({ failure }: { readonly failure?: Failure | undefined }) => {
  const key = useSignal("")
  const submit = async (): Promise<void> => {
    if (key.value.trim() !== "") await signIn({ key: key.value.trim() })
  }
  return (
    <Form action="Sign in" failure={failure} onSubmit={submit}>
      <TextField
        label="API key"
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        autofocus
        required
        {...bind(key)}
        hint={
          <>
            Printed when the server first started. Run <code>parley keys create</code> for another one.
          </>
        }
      />
    </Form>
  )
}
