import { useSignal } from "@preact/signals"
import { call } from "../../Api.ts"
import { type Failure, toFailure } from "../../Failure.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { Problem } from "../../parts/States.tsx"
import type { PublishableKey } from "../../PublishableKeys.ts"
import { originsIn } from "./Origins.ts"

interface OriginsProps {
  readonly chatbotId: string
  /** The key that is changed; absent for a new one. */
  readonly item: PublishableKey | undefined
  readonly onClose: () => void
  readonly onChanged: () => Promise<void>
}

/** Makes a publishable key for a website, or changes where it is allowed. */
export const OriginsDialog = ({ chatbotId, item, onChanged, onClose }: OriginsProps) => {
  const name = useSignal(item?.name ?? "Website")
  const origins = useSignal(item?.allowed_origins.join("\n") ?? "")
  const busy = useSignal(false)
  const failure = useSignal<Failure | undefined>(undefined)
  const list = originsIn(origins.value)
  const fault = failure.value?.errors.find(({ path }) => path.startsWith("allowed_origins"))?.message
  const save = async (): Promise<void> => {
    busy.value = true
    failure.value = undefined
    const fields = { name: name.value.trim(), allowed_origins: list }
    try {
      if (item === undefined)
        await call("POST /api/admin/api-keys", {
          body: { ...fields, kind: "publishable", chatbot_id: chatbotId },
        })
      else await call("PATCH /api/admin/api-keys/:apiKeyId", { params: { apiKeyId: item.id }, body: fields })
      await onChanged()
      onClose()
    } catch (error) {
      failure.value = toFailure(error)
    }
    busy.value = false
  }
  return (
    <Dialog title={item === undefined ? "Add a website" : `Change ${item.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div class="stack">
          {failure.value !== undefined && fault === undefined && <Problem failure={failure.value} />}
          <TextField
            label="Name"
            value={name.value}
            onValue={(value) => (name.value = value)}
            maxLength={200}
            autocomplete="off"
            required
          />
          <TextArea
            label="Where it may stand"
            value={origins.value}
            onValue={(value) => (origins.value = value)}
            placeholder={"https://example.com\nhttps://*.example.com"}
            spellcheck={false}
            required
            error={fault}
            hint="One address a line. https://*.example.com is for all subdomains, * alone for every website."
          />
        </div>
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            busy={busy.value}
            disabled={list.length === 0 || name.value.trim() === ""}
          >
            {item === undefined ? "Make the key" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
