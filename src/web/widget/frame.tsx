import "./frame.css"
import { render } from "preact"
import type { Hello, ToFrame, ToPage } from "../shared/Bridge.ts"
import { Icon } from "../shared/Icon.tsx"
import { configOf } from "../shared/PageConfig.ts"
import send from "icon:send"

const config = configOf()
let port: MessagePort | undefined
const tell = (message: ToPage) => port?.postMessage(message)
const heard: Array<string> = []
const draw = () =>
  render(
    <main>
      <h1>{config?.header}</h1>
      <button type="button" onClick={() => tell({ type: "close" })}>
        Close
      </button>
      <button type="button" onClick={() => tell({ type: "keep", state: { secret: "yLwDnJm3TzqV0k5bXhRr9A" } })}>
        Keep
      </button>
      <button type="button" onClick={() => setTimeout(() => tell({ type: "unread", count: 3 }), 500)}>
        Unread
      </button>
      <Icon nodes={send} />
      <p id="heard">{heard.join("\n")}</p>
      <p>{config?.greeting}</p>
    </main>,
    document.body,
  )
addEventListener("message", ({ data, ports, source }: MessageEvent<Hello>) => {
  if (source !== parent || data?.type !== "parley:hello") return
  heard.push(JSON.stringify(data))
  port = ports[0]
  if (port)
    port.onmessage = ({ data: message }: MessageEvent<ToFrame>) => {
      heard.push(JSON.stringify(message))
      draw()
    }
  tell({ type: "ready" })
  draw()
})
draw()
parent.postMessage({ type: "parley:loaded" }, "*")
