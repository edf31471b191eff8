import { useSignal } from "@preact/signals"
import type { ApiKey } from "../../data/Admin.ts"
import { call } from "../../server/Api.ts"
import { limitHint, limitOf, limitProblem, limitText } from "../../data/Limits.ts"
import { bind, TextArea, TextField } from "../../parts/Field.tsx"
import { FormDialog } from "../../parts/Dialogs.tsx"
import { originsIn } from "../../data/Origins.ts"
import { originsHint } from "./KeyForm.ts"

interface EditKeyProps {
  readonly item: ApiKey
  readonly onClose: () => void
  readonly onChanged: (key: ApiKey) => void
}

/** A form that changes the name, the budget and the allowed origins of a key. */
export const EditKey = ({ item, onChanged, onClose }: EditKeyProps) => {
  const name = useSignal(item.name)
  const origins = useSignal((item.allowed_origins ?? []).join("\n"))
  const tokens = useSignal(limitText(item.budget.tokens_per_day))
  const chats = useSignal(limitText(item.budget.concurrent_chats))
  const problems = { tokens: limitProblem(tokens.value), chats: limitProblem(chats.value) }
  const submit = async (): Promise<void> => {
    const { api_key } = await call("PATCH /api/admin/api-keys/:apiKeyId", {
      params: { apiKeyId: item.id },
      body: {
        name: name.value.trim(),
        budget: { tokens_per_day: limitOf(tokens.value), concurrent_chats: limitOf(chats.value) },
        ...(item.allowed_origins !== null && { allowed_origins: originsIn(origins.value) }),
      },
    })
    onChanged(api_key)
  }
  return (
    <FormDialog
      title={`Change ${item.name}`}
      action="Save"
      isWrong={name.value.trim() === "" || Object.values(problems).some((problem) => problem !== undefined)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" maxLength={200} {...bind(name)} />
      {item.allowed_origins !== null && (
        <TextArea label="Allowed origins" hint={originsHint} {...bind(origins)} spellcheck={false} rows={3} />
      )}
      <TextField label="Tokens a day" {...bind(tokens)} error={problems.tokens} />
      <TextField label="Chats at once" {...bind(chats)} error={problems.chats} hint={limitHint} />
      <p class="soft small">The budget of the organization holds as well. Days are UTC.</p>
    </FormDialog>
  )
}
