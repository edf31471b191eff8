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
    return "You are signed in with this key and will be signed out. This cannot be undone."
  return public_key === null
    ? "The key stops working within a second. Keys created with it stay valid. This cannot be undone."
    : "The widget stops working on every page that uses this key. This cannot be undone."
}

/** Actions on a key that is not revoked. */
export const KeyMenu = ({ item, onEdit, onRevoked }: KeyMenuProps) => {
  const { id, name, public_key, revoked_at } = item
  const revoke = (): Promise<void> =>
    confirmed(
      { title: `Revoke ${name}?`, text: warningOf(item), action: "Revoke" },
      async () => onRevoked((await call("DELETE /api/admin/api-keys/:apiKeyId", { params: { apiKeyId: id } })).api_key),
      `${name} revoked.`,
    )
  const copy = async (text: string): Promise<void> => toast((await copyText(text)) ? "Key copied." : text)
  if (revoked_at !== null) return null
  return (
    <Menu
      label={`Actions for ${name}`}
      items={[
        public_key !== null && { label: "Copy key", icon: Copy, onChoose: () => void copy(public_key) },
        changeItem(onEdit),
        { label: "Revoke…", icon: Ban, isDangerous: true, onChoose: () => void revoke() },
      ]}
    />
  )
}
