import { Effect, Exit, Pull } from "effect"
import { AiError, Prompt } from "effect/ai"
import type { AgentEvent } from "./AgentEvent.ts"
import { readGeneration } from "./Generation.ts"
import type { Generate, StepRequest } from "./Loop.ts"
import type { ModelCalls, ModelRequest } from "./ModelCalls.ts"
import { Pieces } from "./Pieces.ts"
import { type AgentTool, providerTool } from "./Tools.ts"

/** Asks for an answer in one piece. */
export const generateWhole = ({ generate }: ModelCalls, tools: ReadonlyArray<AgentTool>): Generate => {
  const requestOf = requestsWith(tools)
  return (request) => Effect.map(generate(requestOf(request)), readGeneration)
}

/** Asks for an answer as it comes, and tells of it piece by piece. The model is not read from while `emit` waits. */
export const generateStreamed = (
  { stream }: ModelCalls,
  tools: ReadonlyArray<AgentTool>,
  emit: (event: AgentEvent) => Effect.Effect<void>,
): Generate => {
  const requestOf = requestsWith(tools)
  let texts = 0
  const newTextId = () => `text-${++texts}`
  const emitAll = (events: ReadonlyArray<AgentEvent>) => {
    const [first] = events
    if (first === undefined) return Effect.void
    return events.length === 1 ? emit(first) : Effect.forEach(events, emit, { discard: true })
  }
  return (request, onCut) =>
    Effect.suspend(() => {
      const pieces = new Pieces(newTextId)
      return stream(requestOf(request)).pipe(
        Effect.flatMap((pull) => {
          const readOn: Pull.Pull<void, AiError.AiError> = Effect.flatMap(pull, (read) => {
            const told = emitAll(pieces.read(read))
            const error = read.find((piece) => piece.type === "error")
            return Effect.andThen(told, error === undefined ? readOn : failed(error.error))
          })
          return Pull.catchDone(readOn, () => Effect.void)
        }),
        Effect.scoped,
        Effect.onExit((exit) => (Exit.isSuccess(exit) || !pieces.begun ? Effect.void : onCut(pieces.generation))),
        Effect.map(() => pieces.generation),
      )
    })
}

const requestsWith = (tools: ReadonlyArray<AgentTool>) => {
  const offered = tools.map(providerTool)
  return ({ messages, tools: use }: StepRequest): ModelRequest => ({
    prompt: Prompt.fromMessages(messages),
    tools: use === "none" ? [] : offered,
    toolChoice: use === "offered" ? "auto" : "none",
  })
}

const failed = (error: unknown) =>
  Effect.fail(
    AiError.make({
      module: "LanguageModel",
      method: "streamText",
      reason: new AiError.UnknownError({ description: String(error) }),
    }),
  )
