import { computed } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { publishableKeys } from "../../data/Admin.ts"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { chooseSides } from "../../forms/Clashes.tsx"
import { EditForm } from "../../forms/EditForm.tsx"
import { fieldsOf, makeForm, patchOf, type Stored } from "../../forms/Form.ts"
import { LoadedPage } from "../../parts/Layout.tsx"
import { lookOf, PreviewPage, WidgetPreview } from "../../preview/WidgetPreview.tsx"
import { type Answer, request } from "../../server/Api.ts"
import { resources, together, useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { CheckSection } from "./CheckSection.tsx"
import { KeysSection } from "./KeysSection.tsx"
import { AdvancedSection, LookSection } from "./LookSection.tsx"
import { SnippetSection } from "./SnippetSection.tsx"

const ROUTE = "/api/external/chatbot/:chatbotId/chat-widget"
type WidgetLook = Answer<`GET ${typeof ROUTE}`>["chat_widget_config"]

const storedOf = (look: WidgetLook, etag: string | undefined): Stored => ({ fields: fieldsOf(look), etag })

const load = async (chatbotId: string): Promise<Stored> => {
  const { body, etag } = await request(`GET ${ROUTE}`, { params: { chatbotId } })
  return storedOf(body.chat_widget_config, etag)
}

const widgetResource = resources(load)

const formOf = (chatbotId: string, first: Stored) =>
  makeForm(first, {
    load: () => load(chatbotId),
    choose: chooseSides,
    save: async (fields, paths, ifMatch) => {
      // A colour or a text of the look is taken away by an empty text; what may be absent, by null.
      const cleared = Object.fromEntries(
        paths.map((path) => [path, fields[path] ?? (path === "suggestions" || path.includes(".") ? null : "")]),
      )
      const { body, etag } = await request(`PATCH ${ROUTE}`, {
        params: { chatbotId },
        body: { ...patchOf(cleared, paths) },
        ifMatch,
      })
      const next = storedOf(body.chat_widget_config, etag)
      widgetResource(chatbotId).set(next)
      return next
    },
  })

interface EditingProps {
  readonly chatbotId: string
  readonly chatbot: VersionedChatbot["chatbot"]
  readonly first: Stored
}

const Editing = ({ chatbot, chatbotId, first }: EditingProps) => {
  const form = useMemo(() => formOf(chatbotId, first), [chatbotId])
  const keys = useResource(publishableKeys(chatbotId), can("admin"))
  const look = useMemo(
    () =>
      computed(() => lookOf(fieldsOf(chatbotResource(chatbotId).data.value?.chatbot ?? chatbot), form.fields.value)),
    [form],
  )
  return (
    <PreviewPage
      title="Widget"
      docs="widget"
      about="The chat on your website."
      preview={<WidgetPreview config={look} />}
    >
      <EditForm form={form} label="Widget appearance">
        <LookSection form={form} look={look} />
        <AdvancedSection form={form} look={look} />
      </EditForm>
      <KeysSection chatbot={chatbot} keys={keys} />
      <SnippetSection chatbot={chatbot} keys={keys} />
      <CheckSection chatbot={chatbot} keys={keys} />
    </PreviewPage>
  )
}

/** The look of the widget, the websites that may show it, and the snippet for them. */
const Widget = ({ chatbotId }: { readonly chatbotId: string }) => (
  <LoadedPage
    title="Widget"
    of={together(useResource(chatbotResource(chatbotId)), useResource(widgetResource(chatbotId)))}
  >
    {([{ chatbot }, first]) => <Editing chatbotId={chatbotId} chatbot={chatbot} first={first} />}
  </LoadedPage>
)

export default Widget
