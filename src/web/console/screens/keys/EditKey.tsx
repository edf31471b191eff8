import { useSignal } from "@preact/signals"
import type { ApiKey } from "../../Admin.ts"
import { call } from "../../Api.ts"
import { limitDraft, limitOf, limitProblem } from "../../Limits.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { LimitField } from "../../parts/LimitField.tsx"
import { originsIn } from "../widget/Origins.ts"

interface EditKeyProps {
  readonly item: ApiKey
  readonly onClose: () => void
  readonly onChanged: (key: ApiKey) => void
}

/** A form that changes the name, the budget and the allowed origins of a key. */
export const EditKey = ({ item, onChanged, onClose }: EditKeyProps) => {
  const name = useSignal(item.name)
  const origins = useSignal((item.allowed_origins ?? []).join("\n"))
  const tokens = useSignal(limitDraft(item.budget.tokens_per_day))
  const chats = useSignal(limitDraft(item.budget.concurrent_chats))
  const isWrong =
    name.value.trim() === "" || [tokens.value, chats.value].some((draft) => limitProblem(draft) !== undefined)
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
    <Dialog title={`Change ${item.name}`} onClose={onClose}>
      <Form action="Save" isWrong={isWrong} onSubmit={submit} onCancel={onClose}>
        <TextField label="Name" maxLength={200} value={name.value} onValue={(value) => (name.value = value)} />
        {item.allowed_origins !== null && (
          <TextArea
            label="Allowed origins"
            hint="One a line: https://example.com, or https://*.example.com for all subdomains."
            value={origins.value}
            onValue={(value) => (origins.value = value)}
            spellcheck={false}
            rows={3}
          />
        )}
        <LimitField label="Tokens a day" value={tokens.value} onValue={(value) => (tokens.value = value)} />
        <LimitField label="Chats at once" value={chats.value} onValue={(value) => (chats.value = value)} />
        <p class="soft small">The budget of the organization holds as well. Days are UTC.</p>
      </Form>
    </Dialog>
  )
}
