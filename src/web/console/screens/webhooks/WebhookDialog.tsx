import { call } from "../../server/Api.ts"
import { useChatbotNames } from "../../data/Names.ts"
import { Checkbox, Switch, TextField } from "../../parts/Field.tsx"
import { FormDialog, useDraft } from "../../parts/Dialogs.tsx"
import { session } from "../../server/Session.ts"
import { eventTypes, eventWords, type Webhook } from "./WebhookData.ts"

interface WebhookDialogProps {
  /** The webhook to change; undefined for a new one. */
  readonly item: Webhook | undefined
  readonly onStored: (webhook: Webhook, secret: string | undefined) => void
}

/** A form that makes or changes a webhook. */
export const WebhookDialog = ({ item, onStored }: WebhookDialogProps) => {
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
