import { useSignal } from "@preact/signals"
import { call } from "../../Api.ts"
import { type Failure, toFailure } from "../../Failure.ts"
import { useChatbotNames } from "../../Names.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Checkbox, Switch, TextField } from "../../parts/Field.tsx"
import { Problem } from "../../parts/States.tsx"
import { session } from "../../Session.ts"
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
  const failure = useSignal<Failure | undefined>(undefined)
  const isBusy = useSignal(false)
  const chatbotName = useChatbotNames()
  const bound = item === undefined ? (session.value?.chatbot_id ?? null) : item.chatbot_id
  const isWrong = url.value.trim() === "" || events.value.length === 0
  const submit = async (): Promise<void> => {
    if (isWrong) return
    isBusy.value = true
    failure.value = undefined
    const body = { url: url.value.trim(), description: description.value, events: events.value, active: isActive.value }
    try {
      if (item === undefined) {
        const { secret, webhook } = await call("POST /api/external/webhooks", {
          body: { ...body, ...(bound !== null && { chatbot_id: bound }) },
        })
        onStored(webhook, secret)
      } else {
        const { webhook } = await call("PATCH /api/external/webhooks/:webhookId", {
          params: { webhookId: item.id },
          body,
        })
        onStored(webhook, undefined)
      }
    } catch (error) {
      failure.value = toFailure(error)
    }
    isBusy.value = false
  }
  return (
    <Dialog title={item === undefined ? "New webhook" : "Change the webhook"} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {failure.value !== undefined && <Problem failure={failure.value} />}
        <TextField
          label="Address"
          hint="Events are sent here by POST."
          placeholder="https://hooks.example.com/parley"
          value={url.value}
          onValue={(text) => (url.value = text)}
          spellcheck={false}
        />
        <TextField
          label="Description"
          value={description.value}
          onValue={(text) => (description.value = text)}
          maxLength={200}
        />
        <fieldset class="stack">
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
          <Switch
            label="Send events"
            hint="What waits is given up when this is switched off."
            value={isActive.value}
            onValue={(value) => (isActive.value = value)}
          />
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy.value} disabled={isWrong}>
            {item === undefined ? "Create" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
