import { Effect, Exit, Stream } from "effect"
import { AiError, type LanguageModel, Prompt } from "effect/ai"
import type { AgentEvent } from "./AgentEvent.ts"
import { readGeneration } from "./Generation.ts"
import type { Generate, StepRequest } from "./Loop.ts"
import { Pieces } from "./Pieces.ts"
import { type AgentTool, providerTools } from "./Tools.ts"

const toolChoices = { offered: "auto", shown: "none", none: { oneOf: [] } } as const

/** The loop runs the calls, and decodes their input. */
const optionsOf = (toolkit: ReturnType<typeof providerTools>, request: StepRequest) =>
  ({
    prompt: Prompt.fromMessages(request.messages),
    toolkit,
    toolChoice: toolChoices[request.tools],
    disableToolCallResolution: true,
    toolCallValidation: "deferred",
  }) as const

/** Asks for an answer in one piece. */
export const generateWhole = (model: LanguageModel.LanguageModel, tools: ReadonlyArray<AgentTool>): Generate => {
  const toolkit = providerTools(tools)
  return (request) =>
    Effect.map(model.generateText(optionsOf(toolkit, request)), (response) => readGeneration(response.content))
}

/** Asks for an answer as it comes, and tells of it piece by piece. The model is not read from while `emit` waits. */
export const generateStreamed = (
  model: LanguageModel.LanguageModel,
  tools: ReadonlyArray<AgentTool>,
  emit: (event: AgentEvent) => Effect.Effect<void>,
): Generate => {
  const toolkit = providerTools(tools)
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
      return model.streamText(optionsOf(toolkit, request)).pipe(
        Stream.runForEachArray((read) => {
          const error = read.find((piece) => piece.type === "error")
          return Effect.andThen(emitAll(pieces.read(read)), error === undefined ? Effect.void : failed(error.error))
        }),
        Effect.onExit((exit) => (Exit.isSuccess(exit) || !pieces.begun ? Effect.void : onCut(pieces.generation))),
        Effect.map(() => pieces.generation),
      )
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
