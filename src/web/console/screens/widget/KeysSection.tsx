import { useSignal } from "@preact/signals"
import { Plus } from "lucide"
import { formatAgo } from "../../../shared/Format.ts"
import type { Chatbot } from "../../data/Chatbots.ts"
import { Badge, Loaded, Section } from "../../parts/Layout.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { stateOf, type PublishableKey } from "../../data/Admin.ts"
import type { Resource } from "../../server/Resource.ts"
import { href } from "../../Router.ts"
import { session } from "../../server/Session.ts"
import { CreateKey } from "../keys/CreateKey.tsx"
import { EditKey } from "../keys/EditKey.tsx"
import { KeyMenu } from "../keys/KeyMenu.tsx"

interface KeysProps {
  readonly chatbot: Chatbot
  readonly keys: Resource<ReadonlyArray<PublishableKey>>
  readonly mayManage: boolean
}

interface RowProps {
  readonly item: PublishableKey
  readonly onEdit: () => void
  readonly onRevoked: () => void
}

const Row = ({ item, onEdit, onRevoked }: RowProps) => {
  const state = stateOf(item)
  return (
    <li class="row apart">
      <div class="anywhere">
        <p class="row">
          {state === "active" ? <strong>{item.name}</strong> : <s>{item.name}</s>}
          {state !== "active" && <Badge kind="bad">{state === "expired" ? "Expired" : "Revoked"}</Badge>}
          <span class="soft small">
            {item.last_used_at === null ? "Never used" : `Last used ${formatAgo(item.last_used_at, Date.now())}`}
          </span>
        </p>
        <p>
          <code>{item.public_key}</code>
        </p>
        <ul class="row" aria-label={`Allowed origins of ${item.name}`}>
          {item.allowed_origins.map((origin) => (
            <li key={origin}>
              <Badge>{origin === "*" ? "Any website" : origin}</Badge>
            </li>
          ))}
        </ul>
      </div>
      <KeyMenu item={item} onEdit={onEdit} onRevoked={onRevoked} />
    </li>
  )
}

/** The websites that may show the widget, each by a key of its own. */
export const KeysSection = ({ chatbot, keys, mayManage }: KeysProps) => {
  const editing = useSignal<PublishableKey | "new" | undefined>(undefined)
  const close = (): void => void (editing.value = undefined)
  return (
    <Section
      title="Websites"
      about={
        chatbot.is_public
          ? "This chatbot is public: any website can embed it. A website's own key can be limited and revoked."
          : "Each website has its own key. The widget works only on the origins its key allows."
      }
      actions={
        mayManage && (
          <Button icon={Plus} onClick={() => (editing.value = "new")}>
            Add website
          </Button>
        )
      }
    >
      {mayManage ? (
        <Loaded of={keys}>
          {(all) =>
            all.length === 0 ? (
              <p class="soft">
                {chatbot.is_public ? (
                  "No websites with a key yet."
                ) : (
                  <>
                    No websites yet. Add one, or make the chatbot public in its{" "}
                    <a class="inline" href={href("settings", { chatbotId: chatbot.id })}>
                      settings
                    </a>
                    .
                  </>
                )}
              </p>
            ) : (
              <ul class="websites rows">
                {all.map((item) => (
                  <Row
                    key={item.id}
                    item={item}
                    onEdit={() => (editing.value = item)}
                    onRevoked={() => void keys.reload()}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      ) : (
        <p class="soft">Your key does not have the permission “Manage keys”.</p>
      )}
      {editing.value === "new" && session.value !== undefined && (
        <CreateKey
          organization={{ id: session.value.organization.id, is_operator: false }}
          chatbotId={chatbot.id}
          onCreated={() => void keys.reload()}
          onClose={close}
        />
      )}
      {editing.value !== undefined && editing.value !== "new" && (
        <EditKey
          item={editing.value}
          onChanged={() => {
            close()
            void keys.reload()
          }}
          onClose={close}
        />
      )}
    </Section>
  )
}
