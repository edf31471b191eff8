import { Effect, Exit } from "effect"
import * as Prompt from "effect/ai/Prompt"
import { allEmitted, type Emit } from "./AgentEvent.ts"
import type { Generation } from "./Generation.ts"
import type { Generate } from "./Loop.ts"
import type { ModelBounds, ModelCalls, OnGivenUp } from "../models/ModelCalls.ts"
import { StreamedGeneration } from "./StreamedGeneration.ts"
import type { AgentTool } from "./tools/AgentTool.ts"

interface GenerateOptions {
  readonly calls: ModelCalls
  readonly tools: ReadonlyArray<AgentTool>
  readonly onGivenUp: OnGivenUp
  readonly bounds?: ModelBounds | undefined
  /** Receives the events of an answer as they are received. Without it, they are passed on when they are whole. */
  readonly emit: Emit | undefined
  /**
   * Called before each answer that is streamed, with a function that returns the answer as far as it was received, or
   * undefined while nothing was received.
   */
  readonly onBegin: (look: () => Generation | undefined) => void
  /** Whether the steps of a stream show the requests that were sent. */
  readonly showsRequests: boolean
}

/** Makes the function that calls a model for one answer. */
export const makeGenerate = ({
  bounds,
  calls,
  emit,
  onBegin,
  onGivenUp,
  showsRequests,
  tools,
}: GenerateOptions): Generate => {
  const isWhole = emit === undefined
  let texts = 0
  const newTextId = () => `text-${++texts}`
  return ({ messages, tools: use }, onCut) =>
    Effect.suspend(() => {
      const answer = new StreamedGeneration(newTextId)
      if (!isWhole) onBegin(() => (answer.hasBegun ? answer.generation : undefined))
      const request = {
        prompt: Prompt.fromMessages(messages),
        tools: use === "none" ? [] : tools,
        toolChoice: use === "offered" ? "auto" : "none",
        isWhole,
        bounds,
        isBodyKept: isWhole || showsRequests,
      } as const
      return calls
        .answer(
          request,
          (parts) => {
            const events = answer.read(parts)
            return emit && allEmitted(emit, events)
          },
          onGivenUp,
        )
        .pipe(
          Effect.onExit((exit) => (Exit.isSuccess(exit) || !answer.hasBegun ? Effect.void : onCut(answer.generation))),
          Effect.map(() => answer.generation),
        )
    })
}
