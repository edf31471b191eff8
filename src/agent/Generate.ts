import { Effect } from "effect"
import * as Prompt from "effect/ai/Prompt"
import { allEmitted, type Emit, emitted } from "./AgentEvent.ts"
import { costOf } from "./Generation.ts"
import type { Generate } from "./Loop.ts"
import type { NamedCalls } from "../models/Fallbacks.ts"
import type { ModelBounds } from "../models/ModelCalls.ts"
import { StreamedGeneration } from "./StreamedGeneration.ts"
import type { AgentTool } from "./tools/AgentTool.ts"

interface GenerateOptions {
  readonly named: NamedCalls
  readonly tools: ReadonlyArray<AgentTool>
  readonly bounds?: ModelBounds | undefined
  /** Receives the events of an answer as they are received, or once it is whole. */
  readonly emit: Emit
  readonly isStreamed?: boolean | undefined
  /** Whether the steps of a stream show the requests that were sent. */
  readonly showsRequests?: boolean | undefined
}

/** Makes the function that calls a model for one answer. */
export const makeGenerate = ({
  bounds,
  emit,
  isStreamed = false,
  named,
  showsRequests = false,
  tools,
}: GenerateOptions): Generate => {
  let texts = 0
  const newTextId = () => `text-${++texts}`
  return ({ messages, tools: use }) =>
    Effect.suspend(() => {
      const answer = new StreamedGeneration(named, newTextId)
      const request = {
        prompt: Prompt.fromMessages(messages),
        tools: use === "none" ? [] : tools,
        toolChoice: use === "offered" ? "auto" : "none",
        isWhole: !isStreamed,
        bounds,
        isBodyKept: !isStreamed || showsRequests,
      } as const
      const answered = named.calls.answer(
        request,
        (parts) => allEmitted(emit, answer.read(parts)),
        ({ fallback, tokens }) => emitted(emit, { type: "given-up", cost: costOf(fallback ?? named, tokens) }),
      )
      return Effect.map(answered, () => answer.generation)
    })
}
