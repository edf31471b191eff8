import { useSignal } from "@preact/signals"
import ellipsis from "icon:ellipsis"
import list from "icon:list"
import keyRound from "icon:key-round"
import pencil from "icon:pencil"
import plus from "icon:plus"
import send from "icon:send"
import trash from "icon:trash"
import webhookIcon from "icon:webhook"
import { formatMoment, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { call } from "../../Api.ts"
import { useChatbotNames } from "../../Names.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Button } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { CopyButton } from "../../parts/Copy.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { Page } from "../../parts/Page.tsx"
import { Empty, Loaded } from "../../parts/States.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { useResource } from "../../Resource.ts"
import { Deliveries } from "./Deliveries.tsx"
import { allWebhooks, eventWords, outcomeOf, stateOf, type Webhook } from "./WebhookData.ts"
import { WebhookDialog } from "./WebhookDialog.tsx"

type Shown =
  | { readonly kind: "edit"; readonly item: Webhook | undefined }
  | { readonly kind: "deliveries"; readonly item: Webhook }
  | { readonly kind: "secret"; readonly secret: string }

/** The webhooks of the organization: where events are sent. */
const Webhooks = () => {
  const webhooks = useResource(allWebhooks())
  const chatbotName = useChatbotNames()
  const shown = useSignal<Shown | undefined>(undefined)
  const close = (): void => void (shown.value = undefined)
  const stored = (webhook: Webhook): void => {
    const known = webhooks.data.value ?? []
    const isKnown = known.some(({ id }) => id === webhook.id)
    webhooks.set(isKnown ? known.map((each) => (each.id === webhook.id ? webhook : each)) : [...known, webhook])
  }
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      toastFailure(error)
    }
  }
  const test = ({ id }: Webhook) =>
    attempt(async () => {
      const params = { webhookId: id }
      const { test } = await call("POST /api/external/webhooks/:webhookId/test", { params })
      toast(`${test.is_delivered ? "The endpoint has accepted it" : "It was not accepted"}: ${outcomeOf(test)}`)
    })
  const rotate = (webhook: Webhook) =>
    attempt(async () => {
      const isSure = await confirm({
        title: "Make a new secret?",
        text: "For 24 hours, requests are signed with the new secret and with the one before. Then only the new one counts.",
        action: "Make a new secret",
      })
      if (!isSure) return
      const params = { webhookId: webhook.id }
      const { secret, webhook: changed } = await call("POST /api/external/webhooks/:webhookId/rotate", { params })
      stored(changed)
      shown.value = { kind: "secret", secret }
    })
  const remove = ({ id, url }: Webhook) =>
    attempt(async () => {
      const isSure = await confirm({
        title: "Delete the webhook?",
        text: `Nothing is sent to ${url} any more, and what waits is lost.`,
        action: "Delete",
        isDangerous: true,
      })
      if (!isSure) return
      await call("DELETE /api/external/webhooks/:webhookId", { params: { webhookId: id } })
      webhooks.set((webhooks.data.value ?? []).filter((each) => each.id !== id))
      toast("The webhook is deleted.")
    })
  const create = (
    <Button kind="primary" icon={plus} onClick={() => (shown.value = { kind: "edit", item: undefined })}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" about="Servers of yours that are told of what happens." actions={create}>
      <Loaded of={webhooks}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={webhookIcon} title="No webhooks yet" action={create}>
              With a webhook, your own server learns of messages, conversations, ratings and documents as they happen.
            </Empty>
          ) : (
            <ul class="tools">
              {all.map((webhook) => (
                <li key={webhook.id} class="section tool">
                  <div class="tool-head">
                    <h2 class="ellipsis">{webhook.description || new URL(webhook.url).host}</h2>
                    <div class="row">
                      <Button small icon={list} onClick={() => (shown.value = { kind: "deliveries", item: webhook })}>
                        Deliveries
                      </Button>
                      <Button small icon={send} onClick={() => void test(webhook)}>
                        Test
                      </Button>
                      <Menu
                        label={`More about ${webhook.url}`}
                        items={[
                          {
                            label: "Change …",
                            icon: pencil,
                            onChoose: () => (shown.value = { kind: "edit", item: webhook }),
                          },
                          { label: "New secret …", icon: keyRound, onChoose: () => void rotate(webhook) },
                          {
                            label: "Delete …",
                            icon: trash,
                            isDangerous: true,
                            onChoose: () => void remove(webhook),
                          },
                        ]}
                      >
                        <Icon nodes={ellipsis} size={18} />
                      </Menu>
                    </div>
                  </div>
                  <p class="tool-call">
                    <Badge kind={stateOf(webhook).kind}>{stateOf(webhook).text}</Badge>{" "}
                    <code class="tool-url">{webhook.url}</code>
                  </p>
                  <p class="soft small">
                    {webhook.events.map((type) => eventWords[type]).join(", ")}
                    {webhook.chatbot_id !== null && ` · only ${chatbotName(webhook.chatbot_id)}`}
                    {webhook.dropped > 0 && ` · ${plural(webhook.dropped, "event")} dropped`}
                    {webhook.old_secret_until !== null &&
                      ` · old secret valid until ${formatMoment(webhook.old_secret_until)}`}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {shown.value?.kind === "edit" && (
        <WebhookDialog
          item={shown.value.item}
          onClose={close}
          onStored={(webhook, secret) => {
            stored(webhook)
            shown.value = secret === undefined ? undefined : { kind: "secret", secret }
            if (secret === undefined) toast("The webhook is changed.")
          }}
        />
      )}
      {shown.value?.kind === "deliveries" && <Deliveries webhook={shown.value.item} onClose={close} />}
      {shown.value?.kind === "secret" && (
        <Dialog title="The secret of the webhook" stays onClose={close}>
          <div class="stack">
            <p>Your server verifies signatures with it. It is shown this once.</p>
            <p class="row">
              <code class="tool-url">{shown.value.secret}</code>
              <CopyButton text={shown.value.secret} label="Copy the secret" />
            </p>
            <div class="dialog-actions">
              <Button kind="primary" onClick={close}>
                I have it
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </Page>
  )
}

export default Webhooks
