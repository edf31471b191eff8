import { computed, useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { Eye } from "lucide"
import { request } from "../../Api.ts"
import { chatbotResource, type VersionedChatbot } from "../../Chatbots.ts"
import type { Answer } from "../../Endpoints.ts"
import { ConflictDialog } from "../../forms/ConflictDialog.tsx"
import { fieldsOf, patchOf } from "../../forms/Fields.ts"
import { makeForm, type Stored } from "../../forms/Form.ts"
import { SaveBar } from "../../forms/SaveBar.tsx"
import { Button } from "../../parts/Button.tsx"
import { Page } from "../../parts/Page.tsx"
import { Loaded } from "../../parts/States.tsx"
import { publishableKeys } from "../../PublishableKeys.ts"
import { resources, useResource } from "../../Resource.ts"
import { can } from "../../Session.ts"
import { lookOf } from "../../WidgetLook.ts"
import { PreviewBeside, PreviewDrawer } from "../../WidgetPreview.tsx"
import { CheckSection } from "./CheckSection.tsx"
import { KeysSection } from "./KeysSection.tsx"
import { LookSection } from "./LookSection.tsx"
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
    save: async (fields, paths, ifMatch) => {
      // A colour or a text is taken away by an empty text.
      const cleared = Object.fromEntries(paths.map((path) => [path, fields[path] ?? ""]))
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

const nameOf = (path: string): string =>
  path.charAt(0).toUpperCase() +
  path
    .slice(1)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()

const Editing = ({ chatbot, chatbotId, first }: EditingProps) => {
  const form = useMemo(() => formOf(chatbotId, first), [chatbotId])
  const isPreviewing = useSignal(false)
  const mayManageKeys = can("admin")
  const keys = publishableKeys(chatbotId)
  useEffect(() => {
    if (mayManageKeys) void keys.reload()
  }, [keys])
  const look = useMemo(
    () =>
      computed(() => lookOf(fieldsOf(chatbotResource(chatbotId).data.value?.chatbot ?? chatbot), form.fields.value)),
    [form],
  )
  const isReadOnly = !can("chatbots:write")
  return (
    <Page
      title="Widget"
      of={chatbot.name}
      about="The chat on your website."
      actions={
        <span class="only-narrow">
          <Button icon={Eye} onClick={() => (isPreviewing.value = true)}>
            Preview
          </Button>
        </span>
      }
    >
      <div class="beside-preview">
        <div class="stack loose">
          <KeysSection chatbot={chatbot} keys={keys} mayManage={mayManageKeys} />
          <SnippetSection chatbot={chatbot} keys={keys} color={look.value.primary_color} />
          <CheckSection chatbot={chatbot} keys={keys} />
          <fieldset class="stack loose" disabled={isReadOnly}>
            <legend class="visually-hidden">Look of the widget</legend>
            <LookSection form={form} look={look} />
            <SaveBar form={form} />
          </fieldset>
        </div>
        <PreviewBeside config={look} />
      </div>
      <PreviewDrawer config={look} isOpen={isPreviewing} />
      <ConflictDialog form={form} nameOf={nameOf} />
    </Page>
  )
}

/** How the widget looks, where it may stand, and how a website gets it. */
const Widget = ({ chatbotId }: { readonly chatbotId: string }) => {
  const chatbot = useResource(chatbotResource(chatbotId))
  const widget = useResource(widgetResource(chatbotId))
  const [loadedChatbot, loadedWidget] = [chatbot.data.value, widget.data.value]
  if (loadedChatbot === undefined || loadedWidget === undefined)
    return (
      <Page title="Widget">
        {loadedChatbot === undefined ? (
          <Loaded of={chatbot}>{() => null}</Loaded>
        ) : (
          <Loaded of={widget}>{() => null}</Loaded>
        )}
      </Page>
    )
  return <Editing key={chatbotId} chatbotId={chatbotId} chatbot={loadedChatbot.chatbot} first={loadedWidget} />
}

export default Widget
