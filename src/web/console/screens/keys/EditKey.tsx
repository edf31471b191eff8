import { useSignal } from "@preact/signals"
import type { ApiKey } from "../../Admin.ts"
import { call } from "../../Api.ts"
import { type Failure, toFailure } from "../../Failure.ts"
import { limitDraft, limitOf, limitProblem } from "../../Limits.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { LimitField } from "../../parts/LimitField.tsx"
import { Problem } from "../../parts/States.tsx"
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
  const failure = useSignal<Failure | undefined>(undefined)
  const isBusy = useSignal(false)
  const isWrong =
    name.value.trim() === "" || [tokens.value, chats.value].some((draft) => limitProblem(draft) !== undefined)
  const submit = async (): Promise<void> => {
    if (isWrong) return
    isBusy.value = true
    failure.value = undefined
    try {
      const { api_key } = await call("PATCH /api/admin/api-keys/:apiKeyId", {
        params: { apiKeyId: item.id },
        body: {
          name: name.value.trim(),
          budget: { tokens_per_day: limitOf(tokens.value), concurrent_chats: limitOf(chats.value) },
          ...(item.allowed_origins !== null && { allowed_origins: originsIn(origins.value) }),
        },
      })
      onChanged(api_key)
    } catch (error) {
      failure.value = toFailure(error)
    }
    isBusy.value = false
  }
  return (
    <Dialog title={`Change ${item.name}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {failure.value !== undefined && <Problem failure={failure.value} />}
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
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy.value} disabled={isWrong}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
