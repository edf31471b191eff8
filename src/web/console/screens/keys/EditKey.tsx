import type { ApiKey } from "../../data/Admin.ts"
import { call } from "../../server/Api.ts"
import { limitsOf, limitTexts } from "../../data/Limits.ts"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { budgetFields, LimitFields } from "../../parts/LimitFields.tsx"
import { originsIn } from "../../data/Origins.ts"
import { originsField } from "./KeyForm.ts"

interface EditKeyProps {
  readonly item: ApiKey
  readonly onClose: () => void
  readonly onChanged: (key: ApiKey) => void
}

/** A form that changes the name, the budget and the allowed origins of a key. */
export const EditKey = ({ item, onChanged, onClose }: EditKeyProps) => {
  const { draft, of } = useDraft({ name: item.name, allowed_origins: (item.allowed_origins ?? []).join("\n") })
  const budget = useDraft(limitTexts(item.budget), "budget.")
  const submit = async (): Promise<void> => {
    const { api_key } = await call("PATCH /api/admin/api-keys/:apiKeyId", {
      params: { apiKeyId: item.id },
      body: {
        name: draft.name,
        budget: limitsOf(budget.draft),
        ...(item.allowed_origins !== null && { allowed_origins: originsIn(draft.allowed_origins) }),
      },
    })
    onChanged(api_key)
  }
  return (
    <FormDialog title={`Edit ${item.name}`} action="Save" onSubmit={submit} onClose={onClose}>
      <TextField label="Name" {...of("name")} maxLength={200} required />
      {item.allowed_origins !== null && <TextArea {...originsField} {...of("allowed_origins")} />}
      <LimitFields title="Budget" fields={budgetFields} of={budget.of} />
      <p class="soft small">
        Enter a number or “unlimited”, or leave empty for the server default. The organization's budget also applies.
        Days are in UTC.
      </p>
    </FormDialog>
  )
}
