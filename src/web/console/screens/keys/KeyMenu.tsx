import { Ban, Copy } from "lucide"
import { copyText } from "../../../shared/Clipboard.ts"
import type { ApiKey } from "../../data/Admin.ts"
import { originsIn } from "../../data/Origins.ts"
import { changeItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed, FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { budgetFields, LimitFields, limitsOf, limitTexts } from "../../parts/LimitFields.tsx"
import { toast } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import type { Resource } from "../../server/Resource.ts"
import { session } from "../../server/Session.ts"
import { originsField } from "./KeyForm.ts"

interface KeyProps {
  readonly item: ApiKey
  readonly list: Pick<Resource<unknown>, "reload">
}

const EditKey = ({ item, list }: KeyProps) => {
  const { draft, of } = useDraft({ name: item.name, allowed_origins: (item.allowed_origins ?? []).join("\n") })
  const budget = useDraft(limitTexts(item.budget), "budget.")
  const submit = async (): Promise<void> => {
    await call("PATCH /api/admin/api-keys/:apiKeyId", {
      params: { apiKeyId: item.id },
      body: {
        name: draft.name,
        budget: limitsOf(budget.draft),
        ...(item.allowed_origins !== null && { allowed_origins: originsIn(draft.allowed_origins) }),
      },
    })
    toast(`${draft.name} updated.`)
    void list.reload()
  }
  return (
    <FormDialog title={`Edit ${item.name}`} action="Save" onSubmit={submit}>
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

const warningOf = ({ id, public_key }: ApiKey): string => {
  if (id === session.value?.api_key?.id)
    return "You are signed in with this key and will be signed out. This cannot be undone."
  return public_key === null
    ? "The key stops working within a second. Keys created with it stay valid. This cannot be undone."
    : "The widget stops working on every page that uses this key. This cannot be undone."
}

/** Actions on a key that is not revoked. */
export const KeyMenu = ({ item, list }: KeyProps) => {
  const { id, name, public_key, revoked_at } = item
  const revoke = (): Promise<void> =>
    confirmed(
      { title: `Revoke ${name}?`, text: warningOf(item), action: "Revoke" },
      async () => {
        await call("DELETE /api/admin/api-keys/:apiKeyId", { params: { apiKeyId: id } })
        void list.reload()
      },
      `${name} revoked.`,
    )
  const copy = async (text: string): Promise<void> => toast((await copyText(text)) ? "Key copied." : text)
  if (revoked_at !== null) return null
  return (
    <Menu
      label={`Actions for ${name}`}
      items={[
        public_key !== null && { label: "Copy key", icon: Copy, onChoose: () => void copy(public_key) },
        changeItem(() => openDialog(<EditKey item={item} list={list} />)),
        { label: "Revoke…", icon: Ban, isDangerous: true, onChoose: () => void revoke() },
      ]}
    />
  )
}
