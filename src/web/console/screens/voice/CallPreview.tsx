import { useSignal } from "@preact/signals"
import { widget as texts } from "../../../../language/languages/en.ts"
import { accent, formatColor, parseColor, textOn } from "../../../shared/Contrast.ts"
import { CallButtons, CallFace } from "../../../voice/CallParts.tsx"
import { styleOf, wordsIn } from "../../../voice/Look.ts"
import type { Form } from "../../forms/Form.ts"
import { Tabs } from "../../parts/Layout.tsx"
import { path } from "./VoiceFields.tsx"

const words = wordsIn(texts)
const nothing = () => {}

/** The colours of buttons in a widget of a primary colour, which those of calls have unless the operator sets others. */
export const buttonColors = (primary: string) => {
  const color = parseColor(primary) ?? parseColor(accent) ?? [0, 0, 0]
  return { buttonColor: formatColor(color), buttonTextColor: formatColor(textOn(color)) }
}

const APPEARANCE = path("appearance.")

/** An image of this server; empty for those of others, which the policy of the console's pages forbids. */
export const ownImage = (address: string): string => (URL.parse(address)?.origin === location.origin ? address : "")

/** The appearance that is being edited. */
const appearanceOf = (form: Form): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(form.fields.value).flatMap(([field, value]) =>
      field.startsWith(APPEARANCE) && (typeof value === "string" || typeof value === "number")
        ? [[field.slice(APPEARANCE.length), value]]
        : [],
    ),
  )

const phases = { ready: "Before", listening: "Listening", speaking: "Speaking" }

interface CallPreviewProps {
  readonly form: Form
  readonly name: string
  /** The primary colour of the widget. */
  readonly primary: string
}

/** The look of a call as it is being edited, in English where the operator has no texts. Nothing in it can be pressed. */
export const CallPreview = ({ form, name, primary }: CallPreviewProps) => {
  const phase = useSignal<keyof typeof phases>("ready")
  const own = (field: string) => form.text(path(`text.${field}`)) || undefined
  const status = {
    ready: own("callToAction") ?? "",
    listening: own("listeningStatus") ?? words.listens,
    speaking: own("speakingStatus") ?? words.speaks,
  }[phase.value]
  const text = { startCall: own("startCall"), endCall: own("endCall") }
  return (
    <div class="stack">
      <Tabs label="State of the call" value={phase.value} onValue={(next) => (phase.value = next)} options={phases} />
      <figure aria-label={`Call with ${name}. ${status}`}>
        <div
          inert
          class="call call-preview"
          data-phase={phase.value}
          style={styleOf({ ...buttonColors(primary), ...appearanceOf(form) })}
        >
          <h2 class="ellipsis" dir="auto">
            {name}
          </h2>
          <p class="call-disclosure">{texts.disclosure}</p>
          <CallFace avatar={ownImage(form.text(path("avatar.imageUrl")))} />
          <p class="call-status">{status}</p>
          <CallButtons
            {...{ text, texts }}
            isReady={phase.value === "ready"}
            start={nothing}
            interrupt={phase.value === "speaking" ? nothing : undefined}
          />
        </div>
      </figure>
    </div>
  )
}
