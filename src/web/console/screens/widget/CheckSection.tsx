import { useSignal } from "@preact/signals"
import { FlaskConical } from "lucide"
import { useRef } from "preact/hooks"
import type { Hello, StoredState, ToFrame, ToPage } from "../../../shared/Bridge.ts"
import { stateOf } from "../../data/Admin.ts"
import { originOf } from "../../data/Origins.ts"
import { Button } from "../../parts/Buttons.tsx"
import { Dialog, Form, openDialog, useClose } from "../../parts/Dialogs.tsx"
import { bind, TextArea, TextField } from "../../parts/Field.tsx"
import { Finding, Section } from "../../parts/Layout.tsx"
import { WidgetFrame } from "../../preview/WidgetFrame.tsx"
import { toast } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { Failure } from "../../server/Failure.ts"
import { serverAddress } from "../../server/Root.ts"
import { can } from "../../server/Session.ts"
import type { WebsitesProps } from "./KeysSection.tsx"
import { findingsOf } from "./PageCheck.ts"

/** The widget as a website shows it, by the same key, to talk with. What a visitor's browser keeps is kept until it is closed. */
const TestPage = ({ name, widgetKey }: { readonly widgetKey: string; readonly name: string }) => {
  const close = useClose()
  const state = useRef<StoredState | undefined>(undefined)
  const greet = (type: string | undefined, frame: Window): void => {
    if (type !== "parley:loaded") return
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data: message }: MessageEvent<ToPage>) => {
      if (message.type === "keep") state.current = message.state
      if (message.type === "close") close()
      const opened: ToFrame = { type: "opened", takesFocus: true }
      if (message.type === "ready") port1.postMessage(opened)
    }
    const hello: Hello = { type: "parley:hello", mode: "popup", state: state.current }
    frame.postMessage(hello, location.origin, [port2])
  }
  return (
    <Dialog kind="drawer" title={`Test page: ${name}`}>
      <WidgetFrame path={`widget/${encodeURIComponent(widgetKey)}`} title={`Chat with ${name}`} onMessage={greet} />
    </Dialog>
  )
}

/** Says whether a website embeds the widget right, and what to do where it does not. */
export const CheckSection = ({ chatbot, keys }: WebsitesProps) => {
  const address = useSignal("")
  const source = useSignal("")
  const origin = useSignal<string | undefined>(undefined)
  const all = keys.data.value ?? []
  const live = all.find((item) => stateOf(item) === "active")
  const testKey = live?.public_key ?? (chatbot.is_public ? chatbot.id : undefined)
  const findings =
    origin.value === undefined
      ? []
      : findingsOf({
          origin: origin.value,
          source: source.value,
          server: serverAddress(),
          chatbotId: chatbot.id,
          isPublic: chatbot.is_public,
          isActive: chatbot.active,
          keys: all,
        })
  const allow = async (missing: string): Promise<void> => {
    if (live === undefined)
      await call("POST /api/admin/api-keys", {
        body: { kind: "publishable", name: "Website", chatbot_id: chatbot.id, allowed_origins: [missing] },
      })
    else
      await call("PATCH /api/admin/api-keys/:apiKeyId", {
        params: { apiKeyId: live.id },
        body: { allowed_origins: [...live.allowed_origins, missing] },
      })
    toast(`${missing} is now allowed.`)
    await keys.reload()
  }
  return (
    <Section
      title="Embedding check"
      about="Find out why the widget does not appear on a page."
      actions={
        testKey !== undefined && (
          <Button icon={FlaskConical} onClick={() => openDialog(<TestPage widgetKey={testKey} name={chatbot.name} />)}>
            Open test page
          </Button>
        )
      }
    >
      <Form
        action="Check"
        kind="secondary"
        onSubmit={async () => {
          origin.value = originOf(address.value)
          if (origin.value === undefined) throw new Failure("Enter a URL such as https://example.com", {})
        }}
      >
        <TextField
          label="Page URL"
          placeholder="https://example.com/help"
          spellcheck={false}
          required
          {...bind(address)}
        />
        <TextArea
          label="HTML or Content-Security-Policy"
          spellcheck={false}
          {...bind(source)}
          hint="Optional. Checked in your browser, not sent to the server."
        />
      </Form>
      <ul class="stack tight" aria-live="polite">
        {findings.map(({ missingOrigin, state, text }) => (
          <Finding key={text} kind={state}>
            <div>{text}</div>
            {missingOrigin !== undefined && can("admin") && (
              <Button small onClick={() => allow(missingOrigin)}>
                Allow
              </Button>
            )}
          </Finding>
        ))}
      </ul>
    </Section>
  )
}
