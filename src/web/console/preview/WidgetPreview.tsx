import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals"
import { Eye } from "lucide"
import type { ComponentChildren } from "preact"
import type { WidgetConfig } from "../../../domain/widget/Widget.ts"
import { type Fields, fieldsOf } from "../forms/Form.ts"
import { Button } from "../parts/Buttons.tsx"
import { Dialog, openDialog } from "../parts/Dialogs.tsx"
import { Page } from "../parts/Layout.tsx"
import { call } from "../server/Api.ts"
import { resources, useResource } from "../server/Resource.ts"
import { can } from "../server/Session.ts"
import { theme } from "../Theme.ts"
import { WidgetFrame } from "./WidgetFrame.tsx"

const text = (fields: Fields, path: string): string => {
  const value = fields[path]
  return typeof value === "string" ? value : ""
}

const list = (fields: Fields, path: string): ReadonlyArray<string> => {
  const value = fields[path]
  return Array.isArray(value) ? value.filter((item) => item.trim() !== "") : []
}

/** The texts in other languages of a configuration that is being edited, without those that are empty. */
const translationsIn = (widget: Fields): PreviewConfig["translations"] => {
  const translations: Record<string, Record<string, string | ReadonlyArray<string>>> = {}
  for (const [path, value] of Object.entries(widget)) {
    const [group, tag, name] = path.split(".")
    if (group !== "translations" || tag === undefined || name === undefined) continue
    const text = typeof value === "string" ? value : list(widget, path)
    if (text.length > 0) (translations[tag] ??= {})[name] = text
  }
  return translations
}

/** A colour without its transparency, as the widget shows it. */
const opaque = (color: string): string => (/^#[0-9a-f]{8}$/i.test(color) ? color.slice(0, 7) : color)

const first = (...texts: ReadonlyArray<string>): string => texts.find((each) => each !== "") ?? ""

/**
 * The look of a chatbot's widget: the fields of the widget's own configuration, and where those are empty the
 * chatbot's snippet and name. The server fills in the same.
 */
export const lookOf = (chatbot: Fields, widget: Fields): PreviewConfig => {
  const own = (field: string): string => first(text(widget, field), text(chatbot, `settings.snippet.${field}`))
  const name = text(chatbot, "name")
  return {
    key: "preview",
    chatbot_id: text(chatbot, "id"),
    header: first(own("header"), name),
    name: first(own("name"), name),
    slogan: own("slogan"),
    logo: own("logo"),
    avatar: text(chatbot, "settings.avatar"),
    primary_color: opaque(own("primaryColor")),
    secondary_color: opaque(own("secondaryColor")),
    language: first(text(widget, "language"), "auto"),
    greeting: text(chatbot, "settings.greeting"),
    disclosure: text(widget, "disclosure"),
    suggestions: list(widget, "suggestions"),
    launcher: { icon: "chat", size: "medium", side: "right", text: "" },
    translations: translationsIn(widget),
    is_email_requested: chatbot["settings.isRequestUserInfoEnabled"] === true,
    attachments: chatbot["settings.attachments"] === true,
    is_active: chatbot["active"] === true,
    handover: null,
    voice: null,
  }
}

/** The stored fields of a chatbot's widget. */
export const widgetFields = resources(async (chatbotId: string) =>
  fieldsOf(
    (await call("GET /api/external/chatbot/:chatbotId/chat-widget", { params: { chatbotId } })).chat_widget_config,
  ),
)

/** Questions that could be offered to the visitors of a chatbot: what they ask most, and what its documents answer. */
export const proposeQuestions = async (chatbotId: string) =>
  (await call("GET /api/external/chatbot/:chatbotId/suggested-questions", { params: { chatbotId } })).questions

const proposedQuestions = resources(proposeQuestions)

export type PreviewConfig = typeof WidgetConfig.Encoded

interface PreviewProps {
  readonly config: ReadonlySignal<PreviewConfig>
}

/** The real widget in a frame, with a configuration that is not stored. Nothing that is written there is sent. */
export const WidgetPreview = ({ config }: PreviewProps) => {
  const proposed = useResource(proposedQuestions(config.value.chatbot_id), can("conversations:read")).data.value
  const ready = useSignal<{ readonly frame: Window } | undefined>(undefined)
  useSignalEffect(() => {
    const message = {
      type: "parley:preview",
      config: config.value,
      question: config.value.suggestions[0] ?? proposed?.[0]?.question ?? "What can you tell me?",
      ...(theme.value !== "system" && { theme: theme.value }),
    }
    ready.value?.frame.postMessage(message, location.origin)
  })
  const onMessage = (type: string | undefined, frame: Window): void => {
    if (type === "parley:preview-ready") ready.value = { frame }
  }
  return <WidgetFrame path="widget/preview" title="Widget preview" onMessage={onMessage} />
}

interface PreviewPageProps {
  readonly title: string
  readonly about?: string | undefined
  readonly docs: string
  readonly preview: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A screen on which a look is changed, with a preview beside it, or over it where there is no room. */
export const PreviewPage = ({ actions, children, preview, ...page }: PreviewPageProps) => {
  const show = () =>
    openDialog(
      <Dialog kind="drawer" title="Preview">
        {preview}
      </Dialog>,
    )
  return (
    <Page
      {...page}
      actions={
        <>
          {actions}
          <span class="only-narrow">
            <Button icon={Eye} onClick={show}>
              Preview
            </Button>
          </span>
        </>
      }
    >
      <div class="beside-preview stack loose">
        <div class="stack loose">{children}</div>
        <aside class="only-wide" aria-label="Preview">
          {preview}
        </aside>
      </div>
    </Page>
  )
}
