import { Effect } from "effect"
import * as Prompt from "effect/ai/Prompt"
import { type ModelCost, type TokenCounts } from "../domain/organizations/Usage.ts"
import type { NamedCalls } from "../models/Fallbacks.ts"
import { StreamedGeneration } from "./StreamedGeneration.ts"

/** What a model is asked: the instruction, and the message of the user. */
export type Question = readonly [system: string, user: string]

/** Asks a model for one text, without tools. `onCost` is called with what it has used, also where it fails. */
export const askModel = Effect.fnUntraced(function* (
  { calls, model, provider }: NamedCalls,
  [system, user]: Question,
  onCost: (cost: ModelCost) => Effect.Effect<void>,
) {
  const answer = new StreamedGeneration(() => "")
  const count = (tokens: TokenCounts) => onCost({ model, provider, tokens })
  const prompt = Prompt.fromMessages([
    Prompt.systemMessage({ content: system }),
    Prompt.userMessage({ content: [Prompt.textPart({ text: user })] }),
  ])
  yield* calls
    .answer(
      { prompt, tools: [], toolChoice: "none", isWhole: true, isBodyKept: true },
      (parts) => void answer.read(parts),
      ({ tokens }) => count(tokens),
    )
    .pipe(Effect.ensuring(Effect.suspend(() => (answer.hasBegun ? count(answer.generation.tokens) : Effect.void))))
  return answer.generation.text
})
