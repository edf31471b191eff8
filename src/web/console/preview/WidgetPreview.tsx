import { type ReadonlySignal, useSignalEffect } from "@preact/signals"
import { Eye } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { WidgetConfig } from "../../../domain/widget/Widget.ts"
import type { Fields } from "../forms/Form.ts"
import { Button } from "../parts/Buttons.tsx"
import { Dialog, openDialog } from "../parts/Dialogs.tsx"
import { Page } from "../parts/Layout.tsx"
import { atRoot } from "../server/Root.ts"
import { type Theme, theme } from "../Theme.ts"

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
    suggestions: list(widget, "suggestions"),
    launcher: { icon: "chat", size: "medium", side: "right", text: "" },
    translations: translationsIn(widget),
    is_email_requested: chatbot["settings.isRequestUserInfoEnabled"] === true,
    is_active: chatbot["active"] === true,
  }
}

export type PreviewConfig = typeof WidgetConfig.Encoded

const READY = "parley:preview-ready"

interface PreviewProps {
  readonly config: ReadonlySignal<PreviewConfig>
}

/** The real widget in a frame, with a configuration that is not stored. Nothing that is written there is sent. */
const WidgetPreview = ({ config }: PreviewProps) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const isReady = useRef(false)
  const show = (next: PreviewConfig, colors: Theme): void => {
    const message = { type: "parley:preview", config: next, ...(colors !== "system" && { theme: colors }) }
    if (isReady.current) frame.current?.contentWindow?.postMessage(message, location.origin)
  }
  useEffect(() => {
    const onMessage = ({ data, origin, source }: MessageEvent<unknown>): void => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      if (typeof data !== "object" || data === null || !("type" in data) || data.type !== READY) return
      isReady.current = true
      show(config.peek(), theme.peek())
    }
    addEventListener("message", onMessage)
    return () => removeEventListener("message", onMessage)
  }, [config])
  useSignalEffect(() => show(config.value, theme.value))
  return (
    <div class="preview">
      <iframe ref={frame} src={atRoot("widget/preview")} title="Widget preview" />
    </div>
  )
}

interface PreviewPageProps extends PreviewProps {
  readonly title: string
  readonly of: string
  readonly about?: string
  readonly docs: string
  readonly children: ComponentChildren
}

/** A screen on which the look of the widget is changed, with the widget beside it, or over it where there is no room. */
export const PreviewPage = ({ children, config, ...page }: PreviewPageProps) => {
  const show = () =>
    openDialog(
      <Dialog kind="drawer" title="Preview">
        <WidgetPreview config={config} />
      </Dialog>,
    )
  return (
    <Page
      {...page}
      actions={
        <span class="only-narrow">
          <Button icon={Eye} onClick={show}>
            Preview
          </Button>
        </span>
      }
    >
      <div class="beside-preview stack loose">
        <div class="stack loose">{children}</div>
        <aside class="only-wide" aria-label="Preview">
          <WidgetPreview config={config} />
        </aside>
      </div>
    </Page>
  )
}
