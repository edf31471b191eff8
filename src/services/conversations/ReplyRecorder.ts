import { Effect } from "effect"
import type { AgentInput } from "../../agent/Agent.ts"
import type { Explanation } from "../../domain/Failure.ts"
import { costsByModel } from "../../domain/organizations/Usage.ts"
import type { Draft } from "../../storage/conversations/UnfinishedReplies.ts"
import { afterStep, costOf, noProgress, type Progress, textOf } from "./ChatAnswer.ts"

/** Records a reply while the agent makes it, so that it can be stored before it is complete. */
export class ReplyRecorder {
  /** The completed steps. */
  progress: Progress = noProgress
  /** Why no model has answered, once that is so. */
  failure: Explanation | undefined
  /** Returns the unfinished step, if there is one. */
  private openStep: Parameters<NonNullable<AgentInput["onStepBegin"]>>[0] = () => undefined

  /** Callbacks to pass to the agent. */
  readonly callbacks: Required<Pick<AgentInput, "onGivenUp" | "onSource" | "onStep" | "onStepBegin" | "onUnanswered">> =
    {
      onStepBegin: (openStep) => {
        this.openStep = openStep
      },
      onStep: (step, cost) =>
        Effect.sync(() => {
          this.openStep = () => undefined
          this.progress = afterStep(this.progress, step, cost)
        }),
      onSource: (source) => {
        this.progress = { ...this.progress, sources: [...this.progress.sources, source] }
      },
      onGivenUp: (cost) =>
        Effect.sync(() => {
          this.progress = { ...this.progress, costs: [...this.progress.costs, cost] }
        }),
      onUnanswered: (explanation) =>
        Effect.sync(() => {
          this.failure = explanation
        }),
    }

  /** The reply as it would be stored if it ended now; undefined while it has no text. */
  get draft(): Draft | undefined {
    const open = this.openStep()
    const progress = open === undefined ? this.progress : afterStep(this.progress, open.step, open.cost)
    const content = textOf(progress.steps)
    return content === "" ? undefined : { ...costOf(progress), content, costs: costsByModel(progress.costs) }
  }
}
