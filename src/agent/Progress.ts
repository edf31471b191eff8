import type { Citation } from "../domain/chat/Chat.ts"
import { addTokens, type ModelCost, noTokens, type TokenCounts } from "../domain/organizations/Usage.ts"
import type { AgentEvent, StepContent, StepMade } from "./AgentEvent.ts"

/** The part of a reply that exists so far. */
export interface Progress {
  readonly steps: ReadonlyArray<StepContent>
  /** The quotes from documents on which the reply rests. */
  readonly sources: ReadonlyArray<Citation>
  /** The model that made the last step, a fallback if the chatbot's own has failed, and its provider. */
  readonly model: string
  readonly provider: string
  /** The tokens of all steps and of judges, estimated where a provider does not report them. */
  readonly tokens: TokenCounts
  /** The cost of each step and of each judge, and of each request that was given up before any of its answer came. */
  readonly costs: ReadonlyArray<ModelCost>
  /** Returns the step that is not made yet, as far as it was received. */
  readonly open?: (() => StepMade) | undefined
}

export const noProgress: Progress = { steps: [], sources: [], model: "", provider: "", tokens: noTokens, costs: [] }

/** The progress of a reply after an event. */
export const afterEvent = (before: Progress, event: AgentEvent): Progress => {
  switch (event.type) {
    case "step-start":
      return { ...before, open: event.look }
    case "step-made": {
      const { model, provider } = event.cost
      return {
        ...afterCost(before, event.cost),
        steps: [...before.steps, event.step],
        model,
        provider,
        open: undefined,
      }
    }
    case "judged":
      return afterCost(before, event.cost)
    case "given-up":
      return { ...before, costs: [...before.costs, event.cost] }
    case "source":
      return { ...before, sources: [...before.sources, event.source] }
    default:
      return before
  }
}

const afterCost = (before: Progress, cost: ModelCost): Progress => ({
  ...before,
  tokens: addTokens(before.tokens, cost.tokens),
  costs: [...before.costs, cost],
})
