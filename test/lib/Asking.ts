import { Effect, Schema } from "effect"
import { type AiError, Prompt, Response } from "effect/ai"
import type { ModelCalls, ModelRequest } from "../../src/models/ModelCalls.ts"
import { searchKnowledgeBase } from "../../src/models/ToolDeclaration.ts"

/*
 * Models asked as the agent's loop asks them. What they answer is typed, but made of what a provider sent: here it is
 * checked to be of its type.
 */

/** A prompt, with the search of the knowledge base for the model to call unless something else is said. */
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

/** The parts of an answer in one piece. */
export const whole = (
  { generate }: ModelCalls,
  request = hello,
): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError> =>
  Effect.tap(generate(request), (parts) => Effect.orDie(areParts(parts)))

/** The parts of a streamed answer. `onParts` is told of them as they come, also of an answer that fails later. */
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

/** All that an answer says, whole or streamed. */
export const textOf = (parts: Parts): string =>
  parts.map((part) => (part.type === "text" ? part.text : part.type === "text-delta" ? part.delta : "")).join("")
