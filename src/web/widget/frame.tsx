import "./frame.css"
import { render } from "preact"
import { Icon } from "../shared/Icon.tsx"
import { configOf } from "../shared/PageConfig.ts"
import send from "icon:send"

const config = configOf()
render(
  <main>
    <h1>{config.header}</h1>
    <Icon nodes={send} />
    <p>{config.greeting}</p>
  </main>,
  document.body,
)
