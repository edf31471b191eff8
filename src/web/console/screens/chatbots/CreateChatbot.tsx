import { useSignal } from "@preact/signals"
import { call } from "../../Api.ts"
import { allChatbots } from "../../Chatbots.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { href, navigate } from "../../Router.ts"
import { can } from "../../Session.ts"

/** Makes a chatbot of nothing but a name, and goes on to its documents. */
export const CreateChatbot = ({ onClose }: { readonly onClose: () => void }) => {
  const name = useSignal("")
  const create = async (): Promise<void> => {
    const { chatbot } = await call("POST /api/external/chatbots", { body: { name: name.value.trim() } })
    void allChatbots().reload()
    onClose()
    await navigate(href(can("knowledge:read") ? "knowledge" : "settings", { chatbotId: chatbot.id }))
  }
  return (
    <Dialog title="New chatbot" onClose={onClose}>
      <Form action="Create chatbot" isWrong={name.value.trim() === ""} onSubmit={create} onCancel={onClose}>
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
      </Form>
    </Dialog>
  )
}
