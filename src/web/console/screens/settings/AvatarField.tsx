import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import imageUp from "icon:image-up"
import { request } from "../../Api.ts"
import { allChatbots, chatbotResource } from "../../Chatbots.ts"
import { fieldsOf } from "../../forms/Fields.ts"
import type { Form } from "../../forms/Form.ts"
import { Avatar } from "../../parts/Avatar.tsx"
import { Button } from "../../parts/Button.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"

const MOST_BYTES = 10 * 1_048_576

/** The picture of the chatbot, which is stored as soon as it is chosen. */
export const AvatarField = ({ chatbotId, form }: { readonly form: Form; readonly chatbotId: string }) => {
  const input = useRef<HTMLInputElement>(null)
  const busy = useSignal(false)
  const image = form.text("settings.avatar")

  const store = async (
    change: () => Promise<{ etag: string | undefined; body: { chatbot: Parameters<typeof fieldsOf>[0] } }>,
    done: string,
  ) => {
    busy.value = true
    try {
      const { body, etag } = await change()
      form.rebase({ fields: fieldsOf(body.chatbot), etag })
      toast(done)
      void chatbotResource(chatbotId).reload()
      void allChatbots().reload()
    } catch (error) {
      toastFailure(error)
    }
    busy.value = false
  }
  const upload = async (file: File): Promise<void> => {
    if (file.size > MOST_BYTES) return toastFailure(new Error("An avatar has at most 10 MiB."))
    const body = new FormData()
    body.append("avatar", file)
    await store(
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
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label="Avatar"
        tabIndex={-1}
        accept="image/png,image/jpeg,image/webp,image/gif"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          currentTarget.value = ""
          if (file !== undefined) void upload(file)
        }}
      />
      <Button small icon={imageUp} busy={busy.value} onClick={() => input.current?.click()}>
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
