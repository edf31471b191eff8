import { useSignal } from "@preact/signals"
import { ImageUp } from "lucide"
import { request } from "../../server/Api.ts"
import { allChatbots, chatbotResource } from "../../data/Chatbots.ts"
import { fieldsOf } from "../../forms/Fields.ts"
import type { Form } from "../../forms/Form.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { useFilePicker } from "../../parts/FilePicker.tsx"
import { attempt, toastFailure } from "../../parts/Toast.tsx"

const MOST_BYTES = 10 * 1_048_576

/** The picture of the chatbot, which is stored as soon as it is chosen. */
export const AvatarField = ({ chatbotId, form }: { readonly form: Form; readonly chatbotId: string }) => {
  const busy = useSignal(false)
  const image = form.text("settings.avatar")

  const store = async (
    change: () => Promise<{ etag: string | undefined; body: { chatbot: Parameters<typeof fieldsOf>[0] } }>,
    done: string,
  ): Promise<void> => {
    busy.value = true
    await attempt(async () => {
      const { body, etag } = await change()
      form.rebase({ fields: fieldsOf(body.chatbot), etag })
      void chatbotResource(chatbotId).reload()
      void allChatbots().reload()
    }, done)
    busy.value = false
  }
  const picker = useFilePicker({
    label: "Avatar",
    accept: "image/png,image/jpeg,image/webp,image/gif",
    onFiles: ([file]) => {
      if (file === undefined) return
      if (file.size > MOST_BYTES) return toastFailure(new Error("An avatar has at most 10 MiB."))
      const body = new FormData()
      body.append("avatar", file)
      void store(
        () => request("PATCH /api/external/chatbot/:chatbotId/update-avatar", { params: { chatbotId }, body }),
        "The avatar is stored.",
      )
    },
  })
  const remove = () =>
    store(
      () => request("PATCH /api/external/chatbots", { query: { id: chatbotId }, body: { settings: { avatar: null } } }),
      "The avatar is removed.",
    )
  return (
    <div class="row">
      <Avatar key={image} name={form.text("name")} image={image} size="large" />
      {picker.field}
      <Button small icon={ImageUp} busy={busy.value} onClick={picker.open}>
        {image === "" ? "Upload an avatar" : "Replace the avatar"}
      </Button>
      {image !== "" && (
        <Button small kind="quiet" disabled={busy.value} onClick={() => void remove()}>
          Remove
        </Button>
      )}
      <span class="soft small">PNG, JPEG, WebP or GIF</span>
    </div>
  )
}
