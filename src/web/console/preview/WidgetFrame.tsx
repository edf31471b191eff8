import { useRef } from "preact/hooks"
import { useWindowEvent } from "../parts/Shortcuts.ts"
import { atRoot } from "../server/Root.ts"
import { fieldsIn, textIn } from "../server/Unknown.ts"

interface WidgetFrameProps {
  /** The path of the frame's document below the server's root. */
  readonly path: string
  readonly title: string
  /** Called with the type of each message that the frame sends. */
  readonly onMessage: (type: string | undefined, frame: Window) => void
}

export const WidgetFrame = ({ onMessage, path, title }: WidgetFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null)
  useWindowEvent("message", ({ data, origin, source }: MessageEvent<unknown>) => {
    const inner = frame.current?.contentWindow
    if (inner != null && source === inner && origin === location.origin)
      onMessage(textIn(fieldsIn(data)["type"]), inner)
  })
  return (
    <div class="preview">
      <iframe ref={frame} src={atRoot(path)} title={title} />
    </div>
  )
}
