import { useSignal } from "@preact/signals"
import { Phone } from "lucide"
import { useEffect, useMemo } from "preact/hooks"
import type { openCall } from "../../../voice/CallView.tsx"
import { randomUuid } from "../../../shared/Random.ts"
import { Button } from "../../parts/Buttons.tsx"
import { Section } from "../../parts/Layout.tsx"
import { attempt } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { toFailure } from "../../server/Failure.ts"
import { type Exchange, sendTurn } from "../playground/Exchange.ts"
import { Inspector } from "../playground/Inspector.tsx"
import { buttonColors, ownImage } from "./CallPreview.tsx"

/** Turns of calls with what was understood, which leaves out those that the person has gone on from. */
const isUnderstood = ({ trace }: Exchange): boolean => (trace.value.transcript ?? "") !== ""

interface TestCallProps {
  readonly chatbotId: string
  readonly name: string
  /** The primary colour of the widget. */
  readonly primary: string
}

/** A call as visitors have it, by the stored configuration, with the times of each turn. The part that makes calls is loaded by a click. */
export const TestCall = ({ chatbotId, name, primary }: TestCallProps) => {
  const turns = useSignal<ReadonlyArray<Exchange>>([])
  const isBusy = useSignal(false)
  const calling = useMemo(() => ({ end: () => {} }), [])
  useEffect(() => () => calling.end(), [])
  const start = async (): Promise<void> => {
    isBusy.value = true
    await attempt(async () => {
      const part: Promise<{ readonly openCall: typeof openCall }> = import(new URL("voice.js", import.meta.url).href)
      const agent = call("GET /api/external/chatbot/:chatbotId/voice-agent", { params: { chatbotId } })
      const words = import("../../../../language/languages/en.ts")
      const [{ openCall: openIt }, { widget }, { voice }] = await Promise.all([part, words, agent])
      const token = randomUuid()
      turns.value = []
      calling.end = openIt(
        {
          name,
          config: {
            ...voice,
            appearance: { ...buttonColors(primary), ...voice.appearance },
            avatar: ownImage(voice.avatar),
          },
          language: navigator.language,
          texts: widget,
          disclosure: widget.disclosure,
          describe: (failure) => toFailure(failure).message,
          endpoint: (form, signal) => {
            form.set("sessionToken", token)
            const { exchange, response } = sendTurn(chatbotId, form, signal)
            turns.value = [exchange, ...turns.value]
            return response
          },
          onConversation: () => {},
        },
        () => {},
      )
    })
    isBusy.value = false
  }
  return (
    <Section
      title="Test call"
      about="Talks with the chatbot by this computer's microphone, as it is saved. The conversation is stored and counts towards usage. Times begin when a turn arrives at the server, 200 ms after you fall silent; the reply waits for the rest of the silence that ends a turn."
      actions={
        <Button icon={Phone} busy={isBusy.value} onClick={() => void start()}>
          Start test call
        </Button>
      }
    >
      {turns.value.filter(isUnderstood).map((exchange) => (
        <div key={exchange.id} class="stack tight">
          <p dir="auto">“{exchange.trace.value.transcript}”</p>
          <Inspector exchange={exchange} />
        </div>
      ))}
    </Section>
  )
}
