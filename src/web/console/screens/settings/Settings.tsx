import { computed } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { ChatbotPatch } from "../../../../domain/chatbot/Chatbot.ts"
import { call, request } from "../../server/Api.ts"
import { allChatbots, chatbotResource, fetchChatbot, type VersionedChatbot } from "../../data/Chatbots.ts"
import { chooseSides } from "../../forms/Clashes.tsx"
import { fieldsOf, patchOf } from "../../forms/Fields.ts"
import { makeForm, type Stored } from "../../forms/Form.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { Loaded, Page } from "../../parts/Layout.tsx"
import { resources, useResource } from "../../server/Resource.ts"
import { lookOf } from "../../preview/WidgetLook.ts"
import { PreviewPage } from "../../preview/WidgetPreview.tsx"
import { AnswersSection } from "./AnswersSection.tsx"
import { GeneralSection } from "./GeneralSection.tsx"
import { VoiceSection } from "./VoiceSection.tsx"

const widgetFields = resources(async (chatbotId: string) =>
  fieldsOf(
    (await call("GET /api/external/chatbot/:chatbotId/chat-widget", { params: { chatbotId } })).chat_widget_config,
  ),
)

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

const Editing = ({ chatbotId, first }: { readonly chatbotId: string; readonly first: VersionedChatbot }) => {
  const form = useMemo(() => formOf(chatbotId, first), [chatbotId])
  const widget = useResource(widgetFields(chatbotId))
  const look = useMemo(() => computed(() => lookOf(form.fields.value, widget.data.value ?? {})), [form, widget])
  const latest = chatbotResource(chatbotId).data.value
  useEffect(() => {
    // What was loaded anew in the background is taken over while nothing is being changed.
    if (latest !== undefined && form.changes.peek().length === 0) form.rebase(storedOf(latest))
  }, [latest])
  return (
    <PreviewPage title="Settings" of={first.chatbot.name} config={look}>
      <EditForm form={form} label={`Settings of ${first.chatbot.name}`}>
        <GeneralSection form={form} chatbotId={chatbotId} />
        <AnswersSection form={form} />
        <VoiceSection form={form} />
      </EditForm>
    </PreviewPage>
  )
}

/** The settings of a chatbot, with the widget beside them as it will be. */
const Settings = ({ chatbotId }: { readonly chatbotId: string }) => {
  const chatbot = useResource(chatbotResource(chatbotId))
  const data = chatbot.data.value
  if (data === undefined)
    return (
      <Page title="Settings">
        <Loaded of={chatbot}>{() => null}</Loaded>
      </Page>
    )
  return <Editing key={chatbotId} chatbotId={chatbotId} first={data} />
}

export default Settings
