import { useSignal } from "@preact/signals"
import { ImageUp } from "lucide"
import { allChatbots, type Chatbot, chatbotResource } from "../data/Chatbots.ts"
import { Avatar } from "../parts/Avatar.tsx"
import { Button, pickFiles } from "../parts/Buttons.tsx"
import { attempt } from "../parts/Toast.ts"
import { request } from "../server/Api.ts"

const accept = "image/png,image/jpeg,image/webp,image/gif"

interface AvatarFieldProps {
  readonly chatbotId: string
  readonly name: string
  /** The address of the stored image; empty for none. */
  readonly image: string
  /** The name of the image where it is shown: the avatar is the logo of the widget too. */
  readonly what: "avatar" | "logo"
  readonly onStored: (chatbot: Chatbot, etag: string | undefined) => void
}

/** The picture of the chatbot, which is stored as soon as it is chosen. */
export const AvatarField = ({ chatbotId, image, name, onStored, what }: AvatarFieldProps) => {
  const busy = useSignal(false)

  const store = async (
    change: () => Promise<{ etag: string | undefined; body: { chatbot: Chatbot } }>,
    done: string,
  ): Promise<void> => {
    busy.value = true
    await attempt(async () => {
      const { body, etag } = await change()
      onStored(body.chatbot, etag)
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
      what === "logo" ? "Logo saved." : "Avatar saved.",
    )
  }
  const remove = () =>
    store(
      () => request("PATCH /api/external/chatbots", { query: { id: chatbotId }, body: { settings: { avatar: null } } }),
      what === "logo" ? "Logo removed." : "Avatar removed.",
    )
  return (
    <div class="row">
      <Avatar key={image} name={name} image={image} size="large" />
      <Button small icon={ImageUp} busy={busy.value} onClick={() => pickFiles({ accept }, ([file]) => upload(file))}>
        {`${image === "" ? "Upload" : "Replace"} ${what}`}
      </Button>
      {image !== "" && (
        <Button small kind="quiet" disabled={busy.value} onClick={() => void remove()}>
          Remove
        </Button>
      )}
      <span class="soft small">PNG, JPEG, WebP or GIF{what === "logo" && ". It is the chatbot's avatar as well."}</span>
    </div>
  )
}
