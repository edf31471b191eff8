import type { VNode } from "preact"
import { RotateCcwClock, SquarePen, X } from "lucide"
import { useWidget } from "./Context.ts"
import { IconButton } from "./IconButton.tsx"

export const Header = (): VNode => {
  const widget = useWidget()
  const { areConversationsOpen, chat, config, focusRequests, host, language } = widget
  const { avatar, header, logo, name, slogan } = config.value
  const { texts } = language.value
  const startNew = () => {
    chat.startNew()
    focusRequests.value += 1
  }
  const hasSpoken = host.state.value !== undefined || host.mode === "preview"
  const image = logo || avatar
  return (
    <header class="row nowrap header">
      {image !== "" && <img src={image} alt="" width="36" height="36" />}
      <div class="titles">
        <h1 class="ellipsis" dir="auto">
          {header || name}
        </h1>
        {slogan !== "" && (
          <p class="ellipsis" dir="auto">
            {slogan}
          </p>
        )}
      </div>
      <div class="row nowrap actions">
        {chat.entries.value.length > 0 && (
          <IconButton icon={SquarePen} label={texts.newConversation} onClick={startNew} />
        )}
        {hasSpoken && (
          <IconButton
            icon={RotateCcwClock}
            label={texts.conversations}
            aria-haspopup="dialog"
            onClick={() => (areConversationsOpen.value = true)}
          />
        )}
        {(host.mode === "popup" || host.mode === "preview") && (
          <IconButton icon={X} label={texts.close} onClick={() => widget.close()} />
        )}
      </div>
    </header>
  )
}
