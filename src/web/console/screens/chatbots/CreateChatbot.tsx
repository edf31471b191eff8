import { useSignal } from "@preact/signals"
import { call } from "../../Api.ts"
import { allChatbots } from "../../Chatbots.ts"
import { type Failure, toFailure } from "../../Failure.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Problem } from "../../parts/States.tsx"
import { href, navigate } from "../../Router.ts"
import { can } from "../../Session.ts"

/** Makes a chatbot of nothing but a name, and goes on to its documents. */
export const CreateChatbot = ({ onClose }: { readonly onClose: () => void }) => {
  const name = useSignal("")
  const busy = useSignal(false)
  const failure = useSignal<Failure | undefined>(undefined)
  const create = async (): Promise<void> => {
    if (name.value.trim() === "" || busy.value) return
    busy.value = true
    failure.value = undefined
    try {
      const { chatbot } = await call("POST /api/external/chatbots", { body: { name: name.value.trim() } })
      void allChatbots().reload()
      onClose()
      await navigate(href(can("knowledge:read") ? "knowledge" : "settings", { chatbotId: chatbot.id }))
    } catch (error) {
      failure.value = toFailure(error)
      busy.value = false
    }
  }
  return (
    <Dialog title="New chatbot" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <div class="stack">
          {failure.value !== undefined && <Problem failure={failure.value} />}
          <TextField
            label="Name"
            value={name.value}
            onValue={(value) => (name.value = value)}
            placeholder="Support"
            maxLength={200}
            autocomplete="off"
            takesFocus
            required
            hint="Everything else has a default, and can be changed afterwards."
          />
        </div>
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy.value} disabled={name.value.trim() === ""}>
            Create chatbot
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
