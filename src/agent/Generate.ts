import { Effect, Exit } from "effect"
import * as Prompt from "effect/ai/Prompt"
import { allEmitted, type Emit } from "./AgentEvent.ts"
import { type Generation, readGeneration } from "./Generation.ts"
import type { Generate, StepRequest } from "./Loop.ts"
import type { ModelCalls, ModelRequest, OnGivenUp } from "../models/ModelCalls.ts"
import { StreamedGeneration } from "./StreamedGeneration.ts"
import type { AgentTool } from "./tools/AgentTool.ts"

/** Calls a model for an answer in one piece. */
export const generateWhole =
  ({ generate }: ModelCalls, tools: ReadonlyArray<AgentTool>, onGivenUp: OnGivenUp): Generate =>
  (request) =>
    Effect.map(generate(requestOf(request, tools), onGivenUp), readGeneration)

/**
 * Calls a model for a stream, and emits the events of its answer as they are received. `onBegin` is called before each
 * answer with a function that returns the answer as far as it was received, or undefined while nothing was received.
 */
export const generateStreamed = (
  { stream }: ModelCalls,
  tools: ReadonlyArray<AgentTool>,
  onGivenUp: OnGivenUp,
  emit: Emit,
  onBegin: (look: () => Generation | undefined) => void = () => {},
  isBodyKept = false,
): Generate => {
  let texts = 0
  const newTextId = () => `text-${++texts}`
  return (request, onCut) =>
    Effect.suspend(() => {
      const answer = new StreamedGeneration(newTextId)
      onBegin(() => (answer.hasBegun ? answer.generation : undefined))
      return stream(
        { ...requestOf(request, tools), isBodyKept },
        (parts) => allEmitted(emit, answer.read(parts)),
        onGivenUp,
      ).pipe(
        Effect.onExit((exit) => (Exit.isSuccess(exit) || !answer.hasBegun ? Effect.void : onCut(answer.generation))),
        Effect.map(() => answer.generation),
      )
    })
}

const requestOf = ({ messages, tools: use }: StepRequest, tools: ReadonlyArray<AgentTool>): ModelRequest => ({
  prompt: Prompt.fromMessages(messages),
  tools: use === "none" ? [] : tools,
  toolChoice: use === "offered" ? "auto" : "none",
})
