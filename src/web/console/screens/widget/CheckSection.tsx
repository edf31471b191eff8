import { useSignal } from "@preact/signals"
import circleAlert from "icon:circle-alert"
import circleCheck from "icon:circle-check"
import circleX from "icon:circle-x"
import flask from "icon:flask-conical"
import { Icon } from "../../../shared/Icon.tsx"
import { call } from "../../Api.ts"
import type { Chatbot } from "../../Chatbots.ts"
import { Button } from "../../parts/Button.tsx"
import { TextArea, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Page.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { isLive, type PublishableKey } from "../../PublishableKeys.ts"
import type { Resource } from "../../Resource.ts"
import { serverAddress } from "../../Root.ts"
import { can } from "../../Session.ts"
import { type Finding, findingsOf, type KnownKey } from "./PageCheck.ts"
import { originOf } from "./Origins.ts"
import { TestPage } from "./TestPage.tsx"

interface CheckProps {
  readonly chatbot: Chatbot
  readonly keys: Resource<ReadonlyArray<PublishableKey>>
}

const known = (item: PublishableKey): KnownKey => ({
  key: item.public_key,
  allowedOrigins: item.allowed_origins,
  state: isLive(item) ? "live" : item.revoked_at === null ? "expired" : "revoked",
})

const icons = { good: circleCheck, note: circleAlert, bad: circleX } as const
const words = { good: "Right", note: "Note", bad: "Wrong" } as const

/** Says whether a website embeds the widget right, and what to do where it does not. */
export const CheckSection = ({ chatbot, keys }: CheckProps) => {
  const address = useSignal("")
  const source = useSignal("")
  const origin = useSignal<string | undefined>(undefined)
  const isWrong = useSignal(false)
  const isTesting = useSignal(false)
  const all = keys.data.value ?? []
  const live = all.find((item) => isLive(item))
  const testKey = live?.public_key ?? (chatbot.is_public ? chatbot.id : undefined)
  const findings: ReadonlyArray<Finding> =
    origin.value === undefined
      ? []
      : findingsOf({
          origin: origin.value,
          source: source.value,
          server: serverAddress(),
          chatbotId: chatbot.id,
          isPublic: chatbot.is_public,
          isActive: chatbot.active,
          keys: all.map(known),
        })
  const allow = async (missing: string): Promise<void> => {
    try {
      if (live === undefined)
        await call("POST /api/admin/api-keys", {
          body: { kind: "publishable", name: "Website", chatbot_id: chatbot.id, allowed_origins: [missing] },
        })
      else
        await call("PATCH /api/admin/api-keys/:apiKeyId", {
          params: { apiKeyId: live.id },
          body: { allowed_origins: [...live.allowed_origins, missing] },
        })
      toast(`${missing} is allowed.`)
    } catch (error) {
      toastFailure(error)
    }
    await keys.reload()
  }
  return (
    <Section
      title="Is it embedded right?"
      about="Enter where the page stands. With its HTML or its Content-Security-Policy, more can be said."
      actions={
        testKey !== undefined && (
          <Button icon={flask} onClick={() => (isTesting.value = true)}>
            Load a test page
          </Button>
        )
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          origin.value = originOf(address.value)
          isWrong.value = origin.value === undefined
        }}
      >
        <TextField
          label="Address of the page"
          placeholder="https://example.com/help"
          spellcheck={false}
          autocomplete="off"
          required
          value={address.value}
          onValue={(value) => (address.value = value)}
          error={isWrong.value ? "Expected an address, such as https://example.com" : undefined}
        />
        <TextArea
          label="HTML or Content-Security-Policy"
          spellcheck={false}
          value={source.value}
          onValue={(value) => (source.value = value)}
          hint="Optional. It stays in this browser."
        />
        <div>
          <Button type="submit">Check</Button>
        </div>
      </form>
      <output class="findings">
        {findings.map((finding) => (
          <div class={`finding ${finding.state}`} key={finding.text}>
            <Icon nodes={icons[finding.state]} size={18} />
            <p>
              <span class="visually-hidden">{words[finding.state]}: </span>
              {finding.text}
            </p>
            {finding.missingOrigin !== undefined && can("admin") && (
              <Button small onClick={() => void allow(finding.missingOrigin ?? "")}>
                Allow it
              </Button>
            )}
          </div>
        ))}
      </output>
      {isTesting.value && testKey !== undefined && (
        <TestPage widgetKey={testKey} name={chatbot.name} onClose={() => (isTesting.value = false)} />
      )}
    </Section>
  )
}
