import { computed } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { call } from "../../server/Api.ts"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { useChatbotForm } from "../../forms/ChatbotForm.ts"
import { fieldsOf } from "../../forms/Fields.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { LoadedPage } from "../../parts/Layout.tsx"
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

const Editing = ({ chatbotId, first }: { readonly chatbotId: string; readonly first: VersionedChatbot }) => {
  const form = useChatbotForm(chatbotId, first)
  const widget = useResource(widgetFields(chatbotId))
  const look = useMemo(() => computed(() => lookOf(form.fields.value, widget.data.value ?? {})), [form, widget])
  return (
    <PreviewPage title="Settings" docs="guide" of={first.chatbot.name} config={look}>
      <EditForm form={form} label={`${first.chatbot.name} settings`}>
        <GeneralSection form={form} chatbotId={chatbotId} />
        <AnswersSection form={form} chatbotId={chatbotId} />
        <VoiceSection form={form} />
      </EditForm>
    </PreviewPage>
  )
}

/** The settings of a chatbot, with the widget beside them as it will be. */
const Settings = ({ chatbotId }: { readonly chatbotId: string }) => {
  const chatbot = useResource(chatbotResource(chatbotId))
  return (
    <LoadedPage title="Settings" of={chatbot}>
      {(first) => <Editing chatbotId={chatbotId} first={first} />}
    </LoadedPage>
  )
}

export default Settings
