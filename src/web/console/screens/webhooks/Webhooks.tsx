import { KeyRound, List, Plus, Send, Webhook as WebhookIcon } from "lucide"
import { formatMoment } from "../../../shared/Format.ts"
import { useChatbotNames } from "../../data/Admin.ts"
import { Button, changeItem, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { SecretDialog } from "../../parts/Copy.tsx"
import { confirm, confirmed, FormDialog, openDialog, useDraft } from "../../parts/Dialogs.tsx"
import { Checkbox, Switch, TextField } from "../../parts/Field.tsx"
import { Badge, Card, Empty, Loaded, Page } from "../../parts/Layout.tsx"
import { toast } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { drop, put, useResource } from "../../server/Resource.ts"
import { session } from "../../server/Session.ts"
import { Deliveries } from "./Deliveries.tsx"
import { allWebhooks, eventTypes, eventWords, outcomeOf, stateOf, type Webhook } from "./WebhookData.ts"

interface WebhookDialogProps {
  readonly item: Webhook | undefined
  readonly onStored: (webhook: Webhook, secret: string | undefined) => void
}

const WebhookDialog = ({ item, onStored }: WebhookDialogProps) => {
  const { change, draft, of } = useDraft({
    url: item?.url ?? "",
    description: item?.description ?? "",
    events: item?.events ?? (["message.created"] as Webhook["events"]),
    active: item?.active ?? true,
  })
  const chatbotName = useChatbotNames()
  const bound = item === undefined ? (session.value?.chatbot_id ?? null) : item.chatbot_id
  const submit = async (): Promise<void> => {
    if (item === undefined) {
      const { secret, webhook } = await call("POST /api/external/webhooks", {
        body: { ...draft, ...(bound !== null && { chatbot_id: bound }) },
      })
      return onStored(webhook, secret)
    }
    const params = { webhookId: item.id }
    const { webhook } = await call("PATCH /api/external/webhooks/:webhookId", { params, body: draft })
    onStored(webhook, undefined)
  }
  return (
    <FormDialog
      title={item === undefined ? "New webhook" : "Edit webhook"}
      action={item === undefined ? "Create webhook" : "Save"}
      wide
      isWrong={draft.events.length === 0}
      onSubmit={submit}
    >
      <TextField
        label="URL"
        hint="Receives each event as a POST request."
        placeholder="https://hooks.example.com/parley"
        {...of("url")}
        spellcheck={false}
        required
      />
      <TextField label="Description" {...of("description")} maxLength={200} />
      <fieldset class="columns">
        <legend>Events{bound !== null && ` for ${chatbotName(bound)}`}</legend>
        {eventTypes.map((type) => (
          <Checkbox
            key={type}
            label={eventWords[type]}
            hint={<code>{type}</code>}
            value={draft.events.includes(type)}
            onValue={(isChosen) =>
              change({ events: eventTypes.filter((each) => (each === type ? isChosen : draft.events.includes(each))) })
            }
          />
        ))}
      </fieldset>
      {item !== undefined && <Switch label="Active" hint="Turning this off drops waiting events." {...of("active")} />}
    </FormDialog>
  )
}

const showSecret = (secret: string) =>
  openDialog(
    <SecretDialog
      title="Webhook signing secret"
      about="Your server verifies signatures with it. Shown only once."
      secret={secret}
    />,
  )

const Webhooks = () => {
  const webhooks = useResource(allWebhooks())
  const chatbotName = useChatbotNames()
  const stored = (webhook: Webhook, secret: string | undefined): void => {
    put(webhooks, webhook)
    if (secret === undefined) toast("Webhook updated.")
    else showSecret(secret)
  }
  const edit = (item?: Webhook) => openDialog(<WebhookDialog item={item} onStored={stored} />)
  const test = async ({ id }: Webhook): Promise<void> => {
    const { test } = await call("POST /api/external/webhooks/:webhookId/test", { params: { webhookId: id } })
    toast(`${test.is_delivered ? "Test event delivered" : "Test event failed"}: ${outcomeOf(test)}`)
  }
  const rotate = async ({ id }: Webhook): Promise<void> => {
    const isSure = await confirm({
      title: "Rotate the signing secret?",
      text: "For 24 hours, requests are signed with both the old and the new secret. After that, only with the new one.",
      action: "Rotate secret",
    })
    if (!isSure) return
    const { secret, webhook } = await call("POST /api/external/webhooks/:webhookId/rotate", {
      params: { webhookId: id },
    })
    put(webhooks, webhook)
    showSecret(secret)
  }
  const remove = ({ id, url }: Webhook): Promise<void> =>
    confirmed(
      {
        title: "Delete webhook?",
        text: `No more events are sent to ${url}. Waiting events are lost.`,
        action: "Delete",
      },
      async () => {
        await call("DELETE /api/external/webhooks/:webhookId", { params: { webhookId: id } })
        drop(webhooks, id)
      },
      "Webhook deleted.",
    )
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => edit()}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" docs="webhooks" about="Notify your own servers when something happens." actions={create}>
      <Loaded
        of={webhooks}
        empty={
          <Empty icon={WebhookIcon} title="No webhooks yet" action={create}>
            Webhooks notify your server of messages, conversations, ratings and documents as they happen.
          </Empty>
        }
      >
        {(all) => (
          <ul class="columns wide">
            {all.map((webhook) => (
              <Card
                key={webhook.id}
                title={webhook.description || new URL(webhook.url).host}
                actions={
                  <>
                    <Button small icon={List} onClick={() => openDialog(<Deliveries webhook={webhook} />)}>
                      Deliveries
                    </Button>
                    <Button small icon={Send} onClick={() => test(webhook)}>
                      Test
                    </Button>
                    <Menu
                      label={`Actions for ${webhook.url}`}
                      items={[
                        changeItem(() => edit(webhook)),
                        { label: "Rotate secret…", icon: KeyRound, onChoose: () => rotate(webhook) },
                        deleteItem(() => remove(webhook)),
                      ]}
                    />
                  </>
                }
              >
                <p>
                  <Badge kind={stateOf(webhook).kind}>{stateOf(webhook).text}</Badge> <code>{webhook.url}</code>
                </p>
                <p class="soft small">
                  {webhook.events.map((type) => eventWords[type]).join(", ")}
                  {webhook.chatbot_id !== null && ` · ${chatbotName(webhook.chatbot_id)} only`}
                  {webhook.old_secret_until !== null &&
                    ` · old secret valid until ${formatMoment(webhook.old_secret_until)}`}
                </p>
              </Card>
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  )
}

export default Webhooks
