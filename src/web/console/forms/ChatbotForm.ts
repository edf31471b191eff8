import { useEffect, useMemo } from "preact/hooks"
import type { ChatbotPatch } from "../../../domain/chatbot/Chatbot.ts"
import { allChatbots, chatbotResource, fetchChatbot, type VersionedChatbot } from "../data/Chatbots.ts"
import { request } from "../server/Api.ts"
import { chooseSides } from "./Clashes.tsx"
import { fieldsOf, type Form, makeForm, patchOf, type Stored } from "./Form.ts"

/** All fields but the one that moves with every change and that nobody has changed. */
const storedOf = ({ chatbot: { updated_at: _, ...chatbot }, etag }: VersionedChatbot): Stored => ({
  fields: fieldsOf(chatbot),
  etag,
})

const formOf = (chatbotId: string, first: VersionedChatbot) => {
  return makeForm(storedOf(first), {
    load: async () => storedOf(await fetchChatbot(chatbotId)),
    choose: chooseSides,
    save: async (fields, paths, etag) => {
      const patch: typeof ChatbotPatch.Encoded = patchOf(fields, paths)
      const { body, etag: next } = await request("PATCH /api/external/chatbots", {
        query: { id: chatbotId },
        body: { ...patch },
        ifMatch: etag,
      })
      const changed = { chatbot: body.chatbot, etag: next }
      chatbotResource(chatbotId).set(changed)
      void allChatbots().reload()
      return storedOf(changed)
    },
  })
}

export const useChatbotForm = (chatbotId: string, first: VersionedChatbot): Form => {
  const form = useMemo(() => formOf(chatbotId, first), [chatbotId])
  const latest = chatbotResource(chatbotId).data.value
  useEffect(() => {
    // What was loaded anew in the background is taken over while nothing is being changed.
    if (latest !== undefined && form.changes.peek().length === 0) form.rebase(storedOf(latest))
  }, [latest])
  return form
}
