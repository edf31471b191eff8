import { Effect, type Exit } from "effect"
import type { Response } from "effect/ai"
import { genAi, operations } from "../observability/Attributes.ts"
import { annotateSpan, atBorder, outcomeOf, secondsSince } from "../observability/Border.ts"
import { model as metrics } from "../observability/Metrics.ts"
import type { NamedCalls } from "./Fallbacks.ts"
import type { ModelCalls } from "./ModelCalls.ts"

/** Attributes of a span about an answer: how it ended and what it took, and nothing of what it says. */
const finishOf = (parts: ReadonlyArray<Response.AllPartsEncoded>): Record<string, unknown> | undefined => {
  const finish = parts.find((part) => part.type === "finish")
  return (
    finish && {
      [genAi.finishReasons]: [finish.reason],
      [genAi.inputTokens]: finish.usage.inputTokens.total,
      [genAi.outputTokens]: finish.usage.outputTokens.total,
    }
  )
}

export const measuredCalls = ({ calls, model, provider }: NamedCalls): ModelCalls => ({
  traits: calls.traits,
  answer: (request, onParts, onGivenUp) =>
    Effect.suspend(() => {
      const begin = performance.now()
      let hasBegun = false
      let finished: Record<string, unknown> | undefined
      const onMeasuredParts: typeof onParts = (parts) => {
        if (!hasBegun && request.isWhole !== true) metrics.firstPart(provider, model).observe(secondsSince(begin))
        hasBegun = true
        finished = finishOf(parts) ?? finished
        return onParts(parts)
      }
      const answer = calls.answer(request, onMeasuredParts, onGivenUp)
      return atBorder(
        Effect.tap(answer, () => annotateSpan(() => finished ?? {})),
        {
          span: `${operations.chat} ${model}`,
          kind: "client",
          timing: "model",
          attributes: () => ({ [genAi.operation]: operations.chat, [genAi.provider]: provider, [genAi.model]: model }),
          measure: (seconds: number, exit: Exit.Exit<unknown, unknown>) => {
            metrics.calls(provider, model, outcomeOf(exit)).add()
            metrics.seconds(provider, model).observe(seconds)
          },
        },
      )
    }),
})
