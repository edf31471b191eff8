import type { VNode } from "preact"
import { RotateCcwClock, SquarePen, X } from "lucide"
import { Icon } from "../../shared/Icon.tsx"
import { useWidget } from "./Context.ts"

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
    <header class="header">
      {image !== "" && <img src={image} alt="" width="36" height="36" />}
      <div class="titles">
        <h1>
          <bdi>{header || name}</bdi>
        </h1>
        {slogan !== "" && (
          <p>
            <bdi>{slogan}</bdi>
          </p>
        )}
      </div>
      <div class="actions">
        {chat.entries.value.length > 0 && (
          <button type="button" class="icon-button" title={texts.newConversation} onClick={startNew}>
            <Icon nodes={SquarePen} />
            <span class="visually-hidden">{texts.newConversation}</span>
          </button>
        )}
        {hasSpoken && (
          <button
            type="button"
            class="icon-button"
            title={texts.conversations}
            aria-haspopup="dialog"
            onClick={() => (areConversationsOpen.value = true)}
          >
            <Icon nodes={RotateCcwClock} />
            <span class="visually-hidden">{texts.conversations}</span>
          </button>
        )}
        {(host.mode === "popup" || host.mode === "preview") && (
          <button type="button" class="icon-button" title={texts.close} onClick={() => widget.close()}>
            <Icon nodes={X} />
            <span class="visually-hidden">{texts.close}</span>
          </button>
        )}
      </div>
    </header>
  )
}
