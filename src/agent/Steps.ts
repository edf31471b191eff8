import { DateTime } from "effect"
import type { Response } from "effect/ai"
import type { FinishReason, ResponseMessage, Step, ToolCall, ToolResult } from "../domain/chat/Chat.ts"
import { timestamp } from "../domain/schema/Timestamp.ts"
import type { Generation } from "./Generation.ts"
import type { ToolOutcome } from "./tools/AgentTool.ts"

/** A step of a reply, in the shape of the steps of `generateText` in version 4.0 of the AI SDK. */
export const makeStep = (options: {
  readonly generation: Generation
  readonly stepType: Step["stepType"]
  readonly isContinued: boolean
  /** The outcome of each call, in the order of the calls, or an empty list when the calls did not run to their end. */
  readonly outcomes: ReadonlyArray<ToolOutcome>
  /** The step before this one, whose messages precede those of this one. */
  readonly previous: Step | undefined
  readonly now: DateTime.Utc
}): Step => {
  const { generation, outcomes, previous } = options
  const { exchange, response } = generation
  const { tokens } = generation.cost
  const toolResults = toolResultsOf(generation.calls, outcomes)
  return {
    stepType: options.stepType,
    finishReason: finishReasonOf(generation.finish),
    isContinued: options.isContinued,
    text: generation.text,
    toolCalls: generation.calls,
    toolResults,
    warnings: exchange.warnings,
    usage: {
      promptTokens: tokens.input,
      completionTokens: tokens.output,
      totalTokens: tokens.input + tokens.output,
    },
    experimental_providerMetadata: generation.providerMetadata,
    request: { body: exchange.body },
    response: {
      id: response.id,
      modelId: response.modelId,
      timestamp: timestamp(
        response.timestamp === undefined ? DateTime.toDateUtc(options.now) : new Date(response.timestamp),
      ),
      headers: exchange.headers,
      messages: [...(previous?.response.messages ?? []), ...messagesOf(generation, toolResults)],
    },
  }
}

const toolResultsOf = (
  calls: ReadonlyArray<ToolCall>,
  outcomes: ReadonlyArray<ToolOutcome>,
): ReadonlyArray<ToolResult> =>
  calls.flatMap((call, index) => {
    const outcome = outcomes[index]
    return outcome === undefined ? [] : [{ ...call, type: "tool-result" as const, result: outcome.result }]
  })

const messagesOf = (
  { calls, text }: Generation,
  toolResults: ReadonlyArray<ToolResult>,
): ReadonlyArray<ResponseMessage> => {
  const answer: ResponseMessage = { role: "assistant", content: [{ type: "text", text }, ...calls] }
  if (toolResults.length === 0) return [answer]
  const content = toolResults.map(({ result, toolCallId, toolName, type }) => ({ type, toolCallId, toolName, result }))
  return [answer, { role: "tool", content }]
}

/** The finish reason that clients see. They know no `pause`, which the next step continues. */
const finishReasonOf = (reason: Response.FinishReason): FinishReason => (reason === "pause" ? "other" : reason)
