import { useSignal } from "@preact/signals"
import plus from "icon:plus"
import ellipsis from "icon:ellipsis"
import pencil from "icon:pencil"
import ban from "icon:ban"
import { formatAgo } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { call } from "../../Api.ts"
import type { Chatbot } from "../../Chatbots.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { CopyButton } from "../../parts/Copy.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { Section } from "../../parts/Page.tsx"
import { Loaded } from "../../parts/States.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { isLive, type PublishableKey } from "../../PublishableKeys.ts"
import type { Resource } from "../../Resource.ts"
import { href } from "../../Router.ts"
import { OriginsDialog } from "./OriginsDialog.tsx"

interface KeysProps {
  readonly chatbot: Chatbot
  readonly keys: Resource<ReadonlyArray<PublishableKey>>
  readonly mayManage: boolean
}

interface RowProps {
  readonly item: PublishableKey
  readonly onEdit: () => void
  readonly onChanged: () => Promise<void>
}

const Row = ({ item, onChanged, onEdit }: RowProps) => {
  const live = isLive(item)
  const revoke = async (): Promise<void> => {
    const sure = await confirm({
      title: `Revoke ${item.name}?`,
      text: <p>Within a second, no page that names this key shows the widget. A revoked key stays revoked.</p>,
      action: "Revoke",
      isDangerous: true,
    })
    if (!sure) return
    try {
      await call("DELETE /api/admin/api-keys/:apiKeyId", { params: { apiKeyId: item.id } })
      toast(`${item.name} is revoked.`)
    } catch (error) {
      toastFailure(error)
    }
    await onChanged()
  }
  return (
    <li class={live ? undefined : "is-over"}>
      <div>
        <p class="row">
          <strong>{item.name}</strong>
          {!live && <Badge kind="bad">{item.revoked_at === null ? "Expired" : "Revoked"}</Badge>}
          <span class="soft small">
            {item.last_used_at === null ? "never used" : `used ${formatAgo(item.last_used_at, Date.now())}`}
          </span>
        </p>
        <p>
          <code>{item.public_key}</code>
        </p>
        <ul class="origins" aria-label={`Where ${item.name} is allowed`}>
          {item.allowed_origins.map((origin) => (
            <li key={origin}>{origin === "*" ? "every website" : origin}</li>
          ))}
        </ul>
      </div>
      {live && (
        <div class="row nowrap">
          <CopyButton text={item.public_key} label="Copy the key" />
          <Menu
            label={`Actions for ${item.name}`}
            items={[
              { label: "Change …", icon: pencil, onChoose: onEdit },
              { label: "Revoke …", icon: ban, isDangerous: true, onChoose: () => void revoke() },
            ]}
          >
            <Icon nodes={ellipsis} size={18} />
          </Menu>
        </div>
      )}
    </li>
  )
}

/** The websites that may show the widget, each by a key of its own. */
export const KeysSection = ({ chatbot, keys, mayManage }: KeysProps) => {
  const editing = useSignal<PublishableKey | "new" | undefined>(undefined)
  return (
    <Section
      title="Websites"
      about={
        chatbot.is_public
          ? "The chatbot is public, so that every website may embed it by its id. A key limits a website's use, and can be revoked."
          : "Each website has a key, which stands in its pages and is no secret. Browsers show the widget only where the key allows it."
      }
      actions={
        mayManage && (
          <Button icon={plus} onClick={() => (editing.value = "new")}>
            Add a website
          </Button>
        )
      }
    >
      {mayManage ? (
        <Loaded of={keys} lines={2}>
          {(all) =>
            all.length === 0 ? (
              <p class="soft">
                {chatbot.is_public ? (
                  "No website has a key yet."
                ) : (
                  <>
                    No website yet. Add one, or make the chatbot public in its{" "}
                    <a class="inline" href={href("settings", { chatbotId: chatbot.id })}>
                      settings
                    </a>
                    .
                  </>
                )}
              </p>
            ) : (
              <ul class="keys">
                {all.map((item) => (
                  <Row key={item.id} item={item} onEdit={() => (editing.value = item)} onChanged={keys.reload} />
                ))}
              </ul>
            )
          }
        </Loaded>
      ) : (
        <p class="soft">The key that is signed in may not manage keys: it lacks the scope admin.</p>
      )}
      {editing.value !== undefined && (
        <OriginsDialog
          chatbotId={chatbot.id}
          item={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = undefined)}
          onChanged={keys.reload}
        />
      )}
    </Section>
  )
}
