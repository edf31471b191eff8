import { Effect, Schema } from "effect"
import { type AiError, Prompt, Response } from "effect/ai"
import type { ModelCalls, ModelRequest } from "../../src/models/ModelCalls.ts"
import { searchKnowledgeBase } from "../../src/models/ToolDeclaration.ts"

/*
 * Requests to models as the agent's loop makes them. The parts of an answer are made from what a provider sent, so that
 * they are checked here against the schemas of their types.
 */

/** A request with a prompt, and by default with the search of the knowledge base as a tool. */
export const asking = (prompt: Prompt.Prompt, more: Partial<ModelRequest> = {}): ModelRequest => ({
  prompt,
  tools: [searchKnowledgeBase],
  toolChoice: "auto",
  ...more,
})

export const hello = asking(
  Prompt.fromMessages([
    Prompt.systemMessage({ content: "Be brief." }),
    Prompt.userMessage({ content: [Prompt.textPart({ text: "Hello" })] }),
  ]),
)

const areParts = Schema.decodeUnknownEffect(Schema.Array(Response.Part()))
const areStreamParts = Schema.decodeUnknownEffect(Schema.Array(Response.StreamPart()))

/** Requests an answer in one piece, and returns its parts. */
export const whole = (
  { generate }: ModelCalls,
  request = hello,
): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError> =>
  Effect.tap(generate(request), (parts) => Effect.orDie(areParts(parts)))

/**
 * Requests a streamed answer, and returns its parts. `onParts` gets them as they arrive, even if the answer then fails.
 */
export const streamed = (
  { stream }: ModelCalls,
  request = hello,
  onParts: (parts: ReadonlyArray<Response.StreamPartEncoded>) => void = () => {},
): Effect.Effect<Array<Response.StreamPartEncoded>, AiError.AiError> =>
  Effect.suspend(() => {
    const all: Array<Response.StreamPartEncoded> = []
    const take = (parts: ReadonlyArray<Response.StreamPartEncoded>) => {
      all.push(...parts)
      onParts(parts)
      return Effect.asVoid(Effect.orDie(areStreamParts(parts)))
    }
    return Effect.as(stream(request, take), all)
  })

type Parts = ReadonlyArray<Response.PartEncoded | Response.StreamPartEncoded>

/** The text of an answer, in one piece or streamed. */
export const textOf = (parts: Parts): string =>
  parts.map((part) => (part.type === "text" ? part.text : part.type === "text-delta" ? part.delta : "")).join("")
