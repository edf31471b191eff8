import { type ReadonlySignal, type Signal, useSignalEffect } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { WidgetConfig } from "../../domain/widget/Widget.ts"
import { Dialog } from "./parts/Dialog.tsx"
import { atRoot } from "./Root.ts"
import { type Theme, theme } from "./Theme.ts"

/** What the widget shows, as the API writes it. */
export type PreviewConfig = typeof WidgetConfig.Encoded

/** What the frame tells once it listens. */
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
      <iframe ref={frame} src={atRoot("widget/preview")} title="Preview of the widget" />
    </div>
  )
}

/** The widget beside a form, where there is room for both. */
export const PreviewBeside = ({ config }: PreviewProps) => (
  <aside class="only-wide" aria-label="Preview">
    <WidgetPreview config={config} />
  </aside>
)

/** The widget over a form, while it is asked for. */
export const PreviewDrawer = ({ config, isOpen }: PreviewProps & { readonly isOpen: Signal<boolean> }) =>
  isOpen.value ? (
    <Dialog kind="drawer" title="Preview" onClose={() => (isOpen.value = false)}>
      <WidgetPreview config={config} />
    </Dialog>
  ) : null
