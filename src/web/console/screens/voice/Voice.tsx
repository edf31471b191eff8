import { Phone, PhoneOff } from "lucide"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { useChatbotForm } from "../../forms/ChatbotForm.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { Empty, LoadedPage, Page, Section } from "../../parts/Layout.tsx"
import { attempt } from "../../parts/Toast.ts"
import { lookOf, PreviewPage, widgetFields } from "../../preview/WidgetPreview.tsx"
import { type Answer, call, request } from "../../server/Api.ts"
import { forReader } from "../../server/Failure.ts"
import { resources, together, useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { CallPreview } from "./CallPreview.tsx"
import { TestCall } from "./TestCall.tsx"
import { VoiceFields } from "./VoiceFields.tsx"

const ROUTE = "/api/external/chatbot/:chatbotId/voice-agent"
type Voice = Answer<`GET ${typeof ROUTE}`>["voice"]

const voiceResource = resources(
  async (chatbotId: string) => (await call(`GET ${ROUTE}`, { params: { chatbotId } })).voice,
)

const turnOn = (chatbotId: string) =>
  attempt(async () => {
    await request(`PATCH ${ROUTE}`, { params: { chatbotId }, body: {} })
    await chatbotResource(chatbotId).reload()
  }, "Voice agent turned on.")

const turnOff = (chatbotId: string) =>
  confirmed(
    {
      title: "Turn the voice agent off?",
      text: <p>The call button disappears, and the fields of this page are deleted. Conversations stay.</p>,
      action: "Turn off",
    },
    async () => {
      await request("PATCH /api/external/chatbots", { query: { id: chatbotId }, body: { voice_widget_config: null } })
      await chatbotResource(chatbotId).reload()
    },
    "Voice agent turned off.",
  )

const listening = {
  server: "by the speech server of this Parley.",
  browser: "in each visitor's browser, which may send it to its maker; some browsers cannot.",
}

const speaking = {
  server: "by the speech server of this Parley.",
  browser: "by each visitor's browser, in a voice of the device.",
}

const byServer = (setting: string): string =>
  forReader(`To have a server do it, set ${setting}=http://127.0.0.1:8000/v1, then start Parley again.`)

/** Where the speech of calls is understood and spoken, and what becomes of it. */
const Servers = ({ voice }: { readonly voice: Voice }) => (
  <Section title="How calls work">
    <ul class="stack tight anywhere">
      <li>
        <strong>Speech is understood</strong> {listening[voice.listening]}{" "}
        {voice.listening === "browser" && byServer("TRANSCRIPTION_BASE_URL")}
      </li>
      <li>
        <strong>Replies are spoken</strong> {speaking[voice.speaking]}{" "}
        {voice.speaking === "browser" && byServer("SPEECH_BASE_URL")}
      </li>
      <li>
        <strong>Audio is never stored.</strong> The text of both sides is, as in a chat.
      </li>
    </ul>
  </Section>
)

interface VoiceProps {
  readonly chatbotId: string
  readonly first: VersionedChatbot
  readonly voice: Voice
}

const about = "Visitors call the chatbot from the widget: it listens, and speaks its replies."

const Off = ({ chatbotId, voice }: Omit<VoiceProps, "first">) => (
  <Page title="Voice" docs="voice" about={about}>
    <Empty
      icon={PhoneOff}
      title="The voice agent is off"
      action={
        can("chatbots:write") && (
          <Button kind="primary" icon={Phone} onClick={() => void turnOn(chatbotId)}>
            Turn on
          </Button>
        )
      }
    >
      Once it is on, the widget has a button for calls. Nothing else has to be set.
    </Empty>
    <Servers voice={voice} />
  </Page>
)

const Editing = ({ chatbotId, first, voice }: VoiceProps) => {
  const form = useChatbotForm(chatbotId, first)
  const { name, primary_color: primary } = lookOf(
    form.fields.value,
    useResource(widgetFields(chatbotId)).data.value ?? {},
  )
  return (
    <PreviewPage
      title="Voice"
      docs="voice"
      about={about}
      actions={
        can("chatbots:write") && (
          <Button icon={PhoneOff} onClick={() => void turnOff(chatbotId)}>
            Turn off
          </Button>
        )
      }
      preview={<CallPreview {...{ form, name, primary }} />}
    >
      {can("chat") && <TestCall {...{ chatbotId, name, primary }} />}
      <EditForm form={form} label={`${first.chatbot.name} voice agent`}>
        <VoiceFields form={form} />
      </EditForm>
      <Servers voice={voice} />
    </PreviewPage>
  )
}

/** The voice agent of a chatbot: whether it has one, how it listens, speaks and looks, and a call to try it. */
const Voice = ({ chatbotId }: { readonly chatbotId: string }) => (
  <LoadedPage
    title="Voice"
    of={together(useResource(chatbotResource(chatbotId)), useResource(voiceResource(chatbotId)))}
  >
    {([first, voice]) =>
      first.chatbot.voice_widget_config === null ? (
        <Off {...{ chatbotId, voice }} />
      ) : (
        <Editing {...{ chatbotId, first, voice }} />
      )
    }
  </LoadedPage>
)

export default Voice
