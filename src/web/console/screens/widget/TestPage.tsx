import { useEffect, useRef } from "preact/hooks"
import type { Hello, Loaded, StoredState, ToFrame, ToPage } from "../../../shared/Bridge.ts"
import { Dialog, useClose } from "../../parts/Dialogs.tsx"
import { atRoot } from "../../server/Root.ts"

interface TestPageProps {
  readonly widgetKey: string
  readonly name: string
}

const isLoaded = (data: unknown): data is Loaded =>
  typeof data === "object" && data !== null && "type" in data && data.type === "parley:loaded"

/** The widget as a website shows it, by the same key, to talk with. What a visitor's browser keeps is kept until it is closed. */
export const TestPage = ({ name, widgetKey }: TestPageProps) => {
  const close = useClose()
  const frame = useRef<HTMLIFrameElement>(null)
  const state = useRef<StoredState | undefined>(undefined)
  useEffect(() => {
    const onMessage = ({ data, origin, source }: MessageEvent<unknown>): void => {
      const inner = frame.current?.contentWindow
      if (inner == null || source !== inner || origin !== location.origin || !isLoaded(data)) return
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data: message }: MessageEvent<ToPage>) => {
        if (message.type === "keep") state.current = message.state
        if (message.type === "close") close()
        const opened: ToFrame = { type: "opened", takesFocus: true }
        if (message.type === "ready") port1.postMessage(opened)
      }
      const hello: Hello = { type: "parley:hello", mode: "popup", state: state.current }
      inner.postMessage(hello, location.origin, [port2])
    }
    addEventListener("message", onMessage)
    return () => removeEventListener("message", onMessage)
  }, [])
  return (
    <Dialog kind="drawer" title={`Test page: ${name}`}>
      <div class="preview">
        <iframe ref={frame} src={atRoot(`widget/${encodeURIComponent(widgetKey)}`)} title={`Chat with ${name}`} />
      </div>
    </Dialog>
  )
}
