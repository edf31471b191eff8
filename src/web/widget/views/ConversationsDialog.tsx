import { useSignal } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect } from "preact/hooks"
import { Download, Trash } from "lucide"
import type { WidgetConversation } from "../../../domain/widget/Widget.ts"
import { focusOn, useWidget } from "./Context.ts"
import { Dialog } from "./Dialog.tsx"
import { FailureNote } from "./FailureNote.tsx"
import { ToolButton } from "./IconButton.tsx"

export const ConversationsDialog = (): VNode | null => {
  const { areConversationsOpen } = useWidget()
  return areConversationsOpen.value ? <OpenDialog /> : null
}

const OpenDialog = (): VNode => {
  const { areConversationsOpen, chat, conversations, host, language } = useWidget()
  const { texts } = language.value
  const isRemovingAll = useSignal(false)
  const { list, next } = conversations
  useEffect(() => {
    if (host.mode !== "preview") void conversations.load()
    else list.value = []
  }, [])
  return (
    <Dialog title={texts.conversations} onClose={() => (areConversationsOpen.value = false)}>
      {chat.failure.value !== undefined && <FailureNote failure={chat.failure.value} />}
      {list.value === undefined && chat.failure.value === undefined && <p class="note">{texts.loading}</p>}
      {list.value?.length === 0 && <p class="note">{texts.noConversations}</p>}
      <ul class="conversations">
        {list.value?.map((conversation) => (
          <ConversationItem key={conversation.id} conversation={conversation} />
        ))}
      </ul>
      {next.value !== undefined && (
        <button type="button" class="quiet-button" onClick={() => void conversations.load(true)}>
          {texts.earlier}
        </button>
      )}
      {(list.value?.length ?? 0) > 0 &&
        (isRemovingAll.value ? (
          <Confirmation
            question={texts.removeAllQuestion}
            onCancel={() => (isRemovingAll.value = false)}
            onConfirm={() => {
              isRemovingAll.value = false
              void conversations.removeAll()
            }}
          />
        ) : (
          <button type="button" class="quiet-button danger" onClick={() => (isRemovingAll.value = true)}>
            {texts.removeAll}
          </button>
        ))}
    </Dialog>
  )
}

const ConversationItem = ({ conversation }: { readonly conversation: WidgetConversation }): VNode => {
  const { areConversationsOpen, chat, conversations, language } = useWidget()
  const { ago, count, texts, time } = language.value
  const { handover, id, message_count, title, updated_at } = conversation
  const isRemoving = useSignal(false)
  const open = () => {
    areConversationsOpen.value = false
    if (chat.conversation.value !== id) void chat.open(id)
  }
  if (isRemoving.value) {
    return (
      <li>
        <Confirmation
          question={texts.removeQuestion}
          onCancel={() => (isRemoving.value = false)}
          onConfirm={() => void conversations.remove(id)}
        />
      </li>
    )
  }
  return (
    <li class="row nowrap conversation">
      <button
        type="button"
        class="opens"
        aria-current={chat.conversation.value === id ? "true" : undefined}
        onClick={open}
      >
        <span class="ellipsis" dir="auto">
          {title}
        </span>
        <span class="note ellipsis">
          <time dateTime={updated_at} title={time(updated_at)}>
            {ago(updated_at)}
          </time>
          {" · "}
          {handover !== null && handover.unread > 0 ? (
            <strong>{texts.newMessages}</strong>
          ) : (
            count(texts.messages, message_count)
          )}
        </span>
      </button>
      <ToolButton icon={Download} label={texts.download} of={title} onClick={() => void conversations.download(id)} />
      <ToolButton icon={Trash} label={texts.remove} of={title} onClick={() => (isRemoving.value = true)} />
    </li>
  )
}

interface ConfirmationProps {
  readonly question: string
  readonly onCancel: () => void
  readonly onConfirm: () => void
}

const Confirmation = ({ onCancel, onConfirm, question }: ConfirmationProps): VNode => {
  const { texts } = useWidget().language.value
  return (
    <fieldset class="confirmation">
      <legend>{question}</legend>
      <div class="row">
        <button type="button" class="small-button danger" onClick={onConfirm}>
          {texts.remove}
        </button>
        <button type="button" class="quiet-button" onClick={onCancel} ref={focusOn}>
          {texts.cancel}
        </button>
      </div>
    </fieldset>
  )
}
