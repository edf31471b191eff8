import { useSignal } from "@preact/signals"
import { ImageUp } from "lucide"
import { request } from "../../server/Api.ts"
import { allChatbots, chatbotResource } from "../../data/Chatbots.ts"
import { fieldsOf } from "../../forms/Fields.ts"
import type { Form } from "../../forms/Form.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { pickFiles } from "../../parts/FilePicker.ts"
import { attempt } from "../../parts/Toast.tsx"

const accept = "image/png,image/jpeg,image/webp,image/gif"

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
  const upload = (file: File | undefined): void => {
    if (file === undefined) return
    const body = new FormData()
    body.append("avatar", file)
    void store(
      () => request("PATCH /api/external/chatbot/:chatbotId/update-avatar", { params: { chatbotId }, body }),
      "The avatar is stored.",
    )
  }
  const remove = () =>
    store(
      () => request("PATCH /api/external/chatbots", { query: { id: chatbotId }, body: { settings: { avatar: null } } }),
      "The avatar is removed.",
    )
  return (
    <div class="row">
      <Avatar key={image} name={form.text("name")} image={image} size="large" />
      <Button small icon={ImageUp} busy={busy.value} onClick={() => pickFiles({ accept }, ([file]) => upload(file))}>
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
