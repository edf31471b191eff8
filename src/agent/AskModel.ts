import { Effect } from "effect"
import * as Prompt from "effect/ai/Prompt"
import type { ModelCost } from "../domain/organizations/Usage.ts"
import type { NamedCalls } from "../models/Fallbacks.ts"
import { costOf } from "./Generation.ts"
import { StreamedGeneration } from "./StreamedGeneration.ts"

/** What a model is asked: the instruction, and the message of the user. */
export type Question = readonly [system: string, user: string]

/** Asks a model for one text, without tools. `onCost` is called with what it has used, also where it fails. */
export const askModel = Effect.fnUntraced(function* (
  named: NamedCalls,
  [system, user]: Question,
  onCost: (cost: ModelCost) => Effect.Effect<void>,
) {
  const answer = new StreamedGeneration(named)
  const prompt = Prompt.fromMessages([
    Prompt.systemMessage({ content: system }),
    Prompt.userMessage({ content: [Prompt.textPart({ text: user })] }),
  ])
  yield* named.calls
    .answer(
      { prompt, tools: [], toolChoice: "none", isWhole: true, isBodyKept: true },
      (parts) => void answer.read(parts),
      ({ tokens }) => onCost(costOf(named, tokens)),
    )
    .pipe(Effect.ensuring(Effect.suspend(() => (answer.hasBegun ? onCost(answer.generation.cost) : Effect.void))))
  return answer.generation.text
})
