import { Effect } from "effect"
import type { AgentInput } from "../agent/Agent.ts"
import { costsByModel } from "../domain/Usage.ts"
import type { Draft } from "../storage/UnfinishedReplies.ts"
import { afterStep, costOf, noProgress, type Progress, textOf } from "./ChatAnswer.ts"

/** A reply while it is made. */
export class Making {
  /** Without the step that is being made. */
  progress: Progress = noProgress
  private look: Parameters<NonNullable<AgentInput["onStepBegin"]>>[0] = () => undefined

  /** What the agent tells this. */
  readonly told: Required<Pick<AgentInput, "onGivenUp" | "onStep" | "onStepBegin">> = {
    onStepBegin: (look) => {
      this.look = look
    },
    onStep: (step, cost) =>
      Effect.sync(() => {
        this.look = () => undefined
        this.progress = afterStep(this.progress, step, cost)
      }),
    onGivenUp: (cost) =>
      Effect.sync(() => {
        this.progress = { ...this.progress, costs: [...this.progress.costs, cost] }
      }),
  }

  /** What would be stored of it if it ended now. Nothing while it has said nothing. */
  get draft(): Draft | undefined {
    const open = this.look()
    const progress = open === undefined ? this.progress : afterStep(this.progress, open.step, open.cost)
    const content = textOf(progress.steps)
    return content === "" ? undefined : { ...costOf(progress), content, costs: costsByModel(progress.costs) }
  }
}
