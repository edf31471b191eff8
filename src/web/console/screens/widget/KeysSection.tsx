import { Plus } from "lucide"
import { formatAgo } from "../../../shared/Format.ts"
import type { Chatbot } from "../../data/Chatbots.ts"
import { Badge, Loaded, Section } from "../../parts/Layout.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { openDialog } from "../../parts/Dialogs.tsx"
import { stateOf, type PublishableKey } from "../../data/Admin.ts"
import type { Resource } from "../../server/Resource.ts"
import { href } from "../../Router.ts"
import { can, session } from "../../server/Session.ts"
import { CreateKey } from "../keys/CreateKey.tsx"
import { KeyMenu } from "../keys/KeyMenu.tsx"

/** The chatbot whose widget websites show, and their keys. */
export interface WebsitesProps {
  readonly chatbot: Chatbot
  readonly keys: Resource<ReadonlyArray<PublishableKey>>
}

const Row = ({ item, keys }: Pick<WebsitesProps, "keys"> & { readonly item: PublishableKey }) => {
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
        <ul class="row" aria-label={`Addresses of ${item.name}`}>
          {item.allowed_origins.map((origin) => (
            <li key={origin}>
              <Badge>{origin === "*" ? "Any website" : origin}</Badge>
            </li>
          ))}
        </ul>
      </div>
      <KeyMenu item={item} list={keys} />
    </li>
  )
}

export const KeysSection = ({ chatbot, keys }: WebsitesProps) => {
  const add = () =>
    openDialog(<CreateKey organizationId={session.value?.organization.id ?? ""} chatbotId={chatbot.id} list={keys} />)
  return (
    <Section
      title="Websites"
      about={
        chatbot.is_public
          ? "This chatbot is public: any website can embed it. A website's own key can be limited and revoked."
          : "Each website has its own key. The widget works only at the addresses its key allows."
      }
      actions={
        can("admin") && (
          <Button icon={Plus} onClick={add}>
            Add website
          </Button>
        )
      }
    >
      {can("admin") ? (
        <Loaded of={keys}>
          {(all) =>
            all.length === 0 ? (
              <p class="soft">
                {chatbot.is_public ? (
                  "No websites with a key yet."
                ) : (
                  <>
                    No websites yet. Add one, or make the chatbot public in its{" "}
                    <a class="inline" href={href("settings", { chatbotId: chatbot.id }, { do: "Access" })}>
                      settings
                    </a>
                    .
                  </>
                )}
              </p>
            ) : (
              <ul class="websites rows">
                {all.map((item) => (
                  <Row key={item.id} item={item} keys={keys} />
                ))}
              </ul>
            )
          }
        </Loaded>
      ) : (
        <p class="soft">You need the permission “Manage keys” to see and add websites.</p>
      )}
    </Section>
  )
}
