import { useSignalEffect } from "@preact/signals"
import { Phone } from "lucide"
import type { VNode } from "preact"
import { useRef } from "preact/hooks"
import type { openCall } from "../../voice/CallView.tsx"
import { failureFrom } from "../model/Failure.ts"
import { useWidget } from "./Context.ts"
import { wordsOf } from "./FailureNote.tsx"
import { IconButton } from "./IconButton.tsx"

/** Begins a voice call in the open conversation. What makes calls is loaded on the first click. */
export const CallButton = (): VNode | null => {
  const { chat, config, host, isSeen, language } = useWidget()
  const { voice } = config.value
  const end = useRef<() => void>(undefined)
  // No call goes on that nobody sees.
  useSignalEffect(() => {
    if (!isSeen.value) end.current?.()
  })
  if (voice === null || chat.people.areThere) return null
  const { client } = chat
  const { texts } = language.value

  const open = async (): Promise<void> => {
    const part: { openCall: typeof openCall } = await import(new URL("voice.js", import.meta.url).href)
    end.current = part.openCall(
      {
        config: voice,
        name: config.value.name,
        language: host.language ?? (config.value.language === "auto" ? navigator.language : config.value.language),
        texts,
        disclosure: config.value.disclosure || texts.disclosure,
        describe: (failure) => wordsOf(failureFrom(failure), language.value),
        endpoint: (form, signal) => {
          const page = host.page()
          const fields = { conversation_id: chat.conversation.value, page_url: page?.url, page_title: page?.title }
          for (const [name, value] of Object.entries(fields)) if (value) form.set(name, value)
          chat.becomeVisitor()
          return client.send("POST", "voice/turns", form, signal)
        },
        onConversation: (id) => chat.enter(id),
      },
      () => {
        const { value: conversation } = chat.conversation
        // Read anew: a reply that was interrupted ends where it was heard last.
        if (conversation !== undefined && chat.current.value === undefined) void chat.open(conversation)
      },
    )
  }
  return (
    <IconButton
      class="send"
      icon={Phone}
      label={voice.text.startCall ?? texts.call}
      onClick={() => host.mode === "preview" || void chat.attempt(open)}
    />
  )
}
