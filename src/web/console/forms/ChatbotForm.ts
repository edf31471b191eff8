import { useEffect, useMemo } from "preact/hooks"
import type { ChatbotPatch } from "../../../domain/chatbot/Chatbot.ts"
import { allChatbots, chatbotResource, fetchChatbot, type VersionedChatbot } from "../data/Chatbots.ts"
import { call, request } from "../server/Api.ts"
import { listen } from "../server/Live.ts"
import { can } from "../server/Session.ts"
import { chooseSides } from "./Clashes.tsx"
import { fieldsOf, type Form, makeForm, patchOf, type Stored } from "./Form.ts"

/** All fields but the one that moves with every change and that nobody has changed. */
const storedOf = ({ chatbot: { updated_at: _, ...chatbot }, etag }: VersionedChatbot): Stored => ({
  fields: fieldsOf(chatbot),
  etag,
})

/** The name of who has changed a chatbot last, for who may read the audit log. */
const lastEditor = async (chatbotId: string): Promise<string | undefined> => {
  if (!can("admin")) return undefined
  const query = { target_id: chatbotId, action: "chatbot.updated", limit: "1" } as const
  const answer = await call("GET /api/admin/audit-log", { query }).catch(() => undefined)
  return answer?.entries[0]?.actor.name ?? undefined
}

const formOf = (chatbotId: string, first: VersionedChatbot) => {
  return makeForm(storedOf(first), {
    load: async () => storedOf(await fetchChatbot(chatbotId)),
    choose: async (clashes) => chooseSides(clashes, await lastEditor(chatbotId)),
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
  const chatbot = chatbotResource(chatbotId)
  const latest = chatbot.data.value
  useEffect(() => {
    if (latest !== undefined) form.follow(storedOf(latest))
  }, [latest])
  useEffect(() => listen(chatbotId, ({ type }) => type === "chatbot" && void chatbot.reload()), [chatbotId])
  return form
}
