import { useSignal } from "@preact/signals"
import { call } from "../../server/Api.ts"
import { useChatbotNames } from "../../data/Names.ts"
import { bind, Checkbox, Switch, TextField } from "../../parts/Field.tsx"
import { FormDialog } from "../../parts/Dialogs.tsx"
import { session } from "../../server/Session.ts"
import { eventTypes, eventWords, type EventType, type Webhook } from "./WebhookData.ts"

interface WebhookDialogProps {
  /** The webhook to change; undefined for a new one. */
  readonly item: Webhook | undefined
  readonly onClose: () => void
  readonly onStored: (webhook: Webhook, secret: string | undefined) => void
}

/** A form that makes or changes a webhook. */
export const WebhookDialog = ({ item, onClose, onStored }: WebhookDialogProps) => {
  const url = useSignal(item?.url ?? "")
  const description = useSignal(item?.description ?? "")
  const events = useSignal<ReadonlyArray<EventType>>(item?.events ?? ["message.created"])
  const isActive = useSignal(item?.active ?? true)
  const chatbotName = useChatbotNames()
  const bound = item === undefined ? (session.value?.chatbot_id ?? null) : item.chatbot_id
  const isWrong = url.value.trim() === "" || events.value.length === 0
  const submit = async (): Promise<void> => {
    const body = { url: url.value.trim(), description: description.value, events: events.value, active: isActive.value }
    if (item === undefined) {
      const { secret, webhook } = await call("POST /api/external/webhooks", {
        body: { ...body, ...(bound !== null && { chatbot_id: bound }) },
      })
      return onStored(webhook, secret)
    }
    const { webhook } = await call("PATCH /api/external/webhooks/:webhookId", { params: { webhookId: item.id }, body })
    onStored(webhook, undefined)
  }
  return (
    <FormDialog
      title={item === undefined ? "New webhook" : "Change the webhook"}
      action={item === undefined ? "Create" : "Save"}
      wide
      isWrong={isWrong}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Address"
        hint="Events are sent here by POST."
        placeholder="https://hooks.example.com/parley"
        {...bind(url)}
        spellcheck={false}
      />
      <TextField label="Description" {...bind(description)} maxLength={200} />
      <fieldset class="columns">
        <legend>Events{bound !== null && ` of ${chatbotName(bound)}`}</legend>
        {eventTypes.map((type) => (
          <Checkbox
            key={type}
            label={eventWords[type]}
            hint={<code>{type}</code>}
            value={events.value.includes(type)}
            onValue={(isChosen) =>
              (events.value = eventTypes.filter((each) => (each === type ? isChosen : events.value.includes(each))))
            }
          />
        ))}
      </fieldset>
      {item !== undefined && (
        <Switch label="Send events" hint="What waits is given up when this is switched off." {...bind(isActive)} />
      )}
    </FormDialog>
  )
}
