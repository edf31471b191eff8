import type { Step } from "../../domain/chat/Chat.ts"
import { allEmitted, type Emit, type StepMade, textEvents } from "../AgentEvent.ts"

/** Passes on of all texts only the one that a review has decided on, and the sources of that one. */
export const withheld = (emit: Emit): Emit => {
  let decided: string | undefined
  return (event) => {
    switch (event.type) {
      case "step-start":
        return emit({ ...event, look: () => withoutText(event.look()) })
      case "text-start":
      case "text-delta":
      case "text-end":
        return undefined
      case "step-made":
        return emit(withoutText(event))
      case "decided":
        decided = event.text
        return allEmitted(emit, textEvents(decided))
      case "source":
        return decided === undefined ? undefined : emit(event)
      case "step-end":
        return emit({ ...event, step: withText(event.step, decided ?? "") })
      default:
        return emit(event)
    }
  }
}

const withoutText = (made: StepMade): StepMade => ({ ...made, step: { ...made.step, text: "" } })

/** A step with another text, without the messages that repeat the one it had, and a request that may quote a refused one. */
const withText = (step: Step, text: string): Step => ({
  ...step,
  text,
  request: { body: "" },
  response: { ...step.response, messages: [] },
})
