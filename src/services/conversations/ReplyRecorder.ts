import type { AgentEvent } from "../../agent/AgentEvent.ts"
import { afterEvent, noProgress, type Progress } from "../../agent/Progress.ts"
import type { Explanation } from "../../domain/Failure.ts"
import { costsByModel } from "../../domain/organizations/Usage.ts"
import type { Draft } from "../../storage/conversations/UnfinishedReplies.ts"
import { costOf, textOf } from "./ChatAnswer.ts"

/** Records a reply while the agent makes it, so that it can be stored before it is complete. */
export class ReplyRecorder {
  /** The steps that are made. */
  progress: Progress = noProgress
  /** Why no model has answered, once that is so. */
  failure: Explanation | undefined

  readonly fold = (event: AgentEvent): void => {
    this.progress = afterEvent(this.progress, event)
    if (event.type === "unanswered") this.failure = event.explanation
  }

  /** The reply as it would be stored if it ended now; undefined while it has no text. */
  get draft(): Draft | undefined {
    const open = this.progress.open?.()
    const progress = open === undefined ? this.progress : afterEvent(this.progress, open)
    const content = textOf(progress.steps)
    return content === "" ? undefined : { ...costOf(progress), content, costs: costsByModel(progress.costs) }
  }
}
