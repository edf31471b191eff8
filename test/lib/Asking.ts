import { Effect, Schema } from "effect"
import { Prompt, Response } from "effect/ai"
import { StreamedGeneration } from "../../src/agent/StreamedGeneration.ts"
import type { ProviderFailure } from "../../src/models/calls/ProviderFailure.ts"
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

const areStreamParts = Schema.decodeUnknownEffect(Schema.Array(Response.StreamPart()))

/** Requests an answer in one piece, and returns its parts as the agent assembles them. */
export const whole = (
  calls: ModelCalls,
  request = hello,
): Effect.Effect<ReadonlyArray<Response.PartEncoded>, ProviderFailure> =>
  Effect.suspend(() => {
    const answer = new StreamedGeneration({ model: "m", provider: "p" })
    const asked = { ...request, isWhole: true, isBodyKept: true }
    return Effect.map(
      streamed(calls, asked, (parts) => void answer.read(parts)),
      () => answer.generation.parts,
    )
  })

/**
 * Requests a streamed answer, and returns its parts. `onParts` gets them as they arrive, even if the answer then fails.
 */
export const streamed = (
  { answer }: ModelCalls,
  request = hello,
  onParts: (parts: ReadonlyArray<Response.StreamPartEncoded>) => void = () => {},
): Effect.Effect<Array<Response.StreamPartEncoded>, ProviderFailure> =>
  Effect.suspend(() => {
    const all: Array<Response.StreamPartEncoded> = []
    const take = (parts: ReadonlyArray<Response.StreamPartEncoded>) => {
      all.push(...parts)
      onParts(parts)
      return Effect.asVoid(Effect.orDie(areStreamParts(parts)))
    }
    return Effect.as(answer(request, take), all)
  })

type Parts = ReadonlyArray<Response.PartEncoded | Response.StreamPartEncoded>

/** The text of an answer, in one piece or streamed. */
export const textOf = (parts: Parts): string =>
  parts.map((part) => (part.type === "text" ? part.text : part.type === "text-delta" ? part.delta : "")).join("")
