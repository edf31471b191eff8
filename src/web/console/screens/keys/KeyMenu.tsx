import { Ban, Copy } from "lucide"
import { copyText } from "../../../shared/Clipboard.ts"
import type { ApiKey } from "../../data/Admin.ts"
import { call } from "../../server/Api.ts"
import { changeItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { toast } from "../../parts/Toast.tsx"
import { session } from "../../server/Session.ts"

interface KeyMenuProps {
  readonly item: ApiKey
  readonly onEdit: () => void
  readonly onRevoked: (key: ApiKey) => void
}

const warningOf = ({ id, public_key }: ApiKey): string => {
  if (id === session.value?.api_key.id)
    return "This is the key that you are signed in with: you are signed out at once. It cannot be used again."
  return public_key === null
    ? "Whoever uses it is refused within a second. It cannot be made valid again; keys that it has made stay."
    : "Within a second, no page that names this key shows the widget. A revoked key stays revoked."
}

/** Actions on a key that is not revoked. */
export const KeyMenu = ({ item, onEdit, onRevoked }: KeyMenuProps) => {
  const { id, name, public_key, revoked_at } = item
  const revoke = (): Promise<void> =>
    confirmed(
      { title: `Revoke ${name}?`, text: warningOf(item), action: "Revoke" },
      async () => onRevoked((await call("DELETE /api/admin/api-keys/:apiKeyId", { params: { apiKeyId: id } })).api_key),
      `${name} is revoked.`,
    )
  const copy = async (text: string): Promise<void> => toast((await copyText(text)) ? "The key is copied." : text)
  if (revoked_at !== null) return null
  return (
    <Menu
      label={`More about ${name}`}
      items={[
        public_key !== null && { label: "Copy the key", icon: Copy, onChoose: () => void copy(public_key) },
        changeItem(onEdit),
        { label: "Revoke …", icon: Ban, isDangerous: true, onChoose: () => void revoke() },
      ]}
    />
  )
}
