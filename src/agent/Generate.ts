import { Effect, Exit } from "effect"
import * as Prompt from "effect/ai/Prompt"
import { allEmitted, type Emit } from "./AgentEvent.ts"
import { type Generation, readGeneration } from "./Generation.ts"
import type { Generate, StepRequest } from "./Loop.ts"
import type { ModelCalls, ModelRequest, OnGivenUp } from "../models/ModelCalls.ts"
import { Pieces } from "./Pieces.ts"
import type { AgentTool } from "./tools/AgentTool.ts"

/** Asks for an answer in one piece. */
export const generateWhole =
  ({ generate }: ModelCalls, tools: ReadonlyArray<AgentTool>, onGivenUp: OnGivenUp): Generate =>
  (request) =>
    Effect.map(generate(requestOf(request, tools), onGivenUp), readGeneration)

/**
 * Asks for an answer as it comes, and tells of it piece by piece. `onBegin` is given what tells how far each answer has
 * come, which is nothing at first.
 */
export const generateStreamed = (
  { stream }: ModelCalls,
  tools: ReadonlyArray<AgentTool>,
  onGivenUp: OnGivenUp,
  emit: Emit,
  onBegin: (look: () => Generation | undefined) => void = () => {},
): Generate => {
  let texts = 0
  const newTextId = () => `text-${++texts}`
  return (request, onCut) =>
    Effect.suspend(() => {
      const pieces = new Pieces(newTextId)
      onBegin(() => (pieces.begun ? pieces.generation : undefined))
      return stream(requestOf(request, tools), (parts) => allEmitted(emit, pieces.read(parts)), onGivenUp).pipe(
        Effect.onExit((exit) => (Exit.isSuccess(exit) || !pieces.begun ? Effect.void : onCut(pieces.generation))),
        Effect.map(() => pieces.generation),
      )
    })
}

const requestOf = ({ messages, tools: use }: StepRequest, tools: ReadonlyArray<AgentTool>): ModelRequest => ({
  prompt: Prompt.fromMessages(messages),
  tools: use === "none" ? [] : tools,
  toolChoice: use === "offered" ? "auto" : "none",
})
