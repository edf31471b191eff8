import { type ReadonlySignal, useSignalEffect } from "@preact/signals"
import { Eye } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { WidgetConfig } from "../../../domain/widget/Widget.ts"
import { Button } from "../parts/Buttons.tsx"
import { Dialog, openDialog } from "../parts/Dialogs.tsx"
import { Page } from "../parts/Layout.tsx"
import { atRoot } from "../server/Root.ts"
import { type Theme, theme } from "../Theme.ts"

/** The configuration of a widget, as the API writes it. */
export type PreviewConfig = typeof WidgetConfig.Encoded

/** Message of the frame once it listens. */
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
  /** The name of the chatbot. */
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
