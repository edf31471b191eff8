import type { AgentEvent, Emit } from "../agent/AgentEvent.ts"
import type { StepContent } from "../agent/Agent.ts"
import type { FinishReason, Source, Step, ToolCall, ToolResult } from "../domain/chat/Chat.ts"
import type { MessageId, SessionId } from "../domain/Ids.ts"
import { addTokens, type ModelCost, noTokens, type TokenCounts } from "../domain/Usage.ts"

/*
 * What an answer of a chat is, how it is told, and what is stored of it.
 */

/** A reply, with what was stored of it. */
export interface ChatAnswer {
  readonly session_id: SessionId
  /** Of the stored reply. */
  readonly message_id: MessageId
  readonly finish_reason: FinishReason
  readonly output: string
  readonly sources: ReadonlyArray<Source>
  readonly steps: ReadonlyArray<Step>
  readonly tool_calls: ReadonlyArray<ToolCall>
  readonly tool_results: ReadonlyArray<ToolResult>
  /** Of all steps. */
  readonly tokens: TokenCounts
}

export type ChatEvent =
  /** The user's message is stored. Comes first, before the model is called. */
  { readonly type: "start"; readonly session_id: SessionId; readonly message_id: MessageId } | AgentEvent

/** Told of a reply while it is made. */
export type ChatEmit = Emit<ChatEvent>

/** How far a reply has got. */
export interface Progress {
  readonly steps: ReadonlyArray<StepContent>
  /** Who made the last step; a fallback, where the chatbot's own model failed. */
  readonly model: string
  readonly provider: string
  readonly tokens: TokenCounts
  /** Of each step, and of requests that were given up before one was answered. */
  readonly costs: ReadonlyArray<ModelCost>
}

export const noProgress: Progress = { steps: [], model: "", provider: "", tokens: noTokens, costs: [] }

/** The same after another step, or as far as that has come. */
export const afterStep = (before: Progress, step: StepContent, cost: ModelCost): Progress => ({
  model: cost.model,
  provider: cost.provider,
  steps: [...before.steps, step],
  tokens: addTokens(before.tokens, cost.tokens),
  costs: [...before.costs, cost],
})

/** What an answer that no model gave is made of. */
export const noSteps = {
  finish_reason: "stop" as const,
  sources: [],
  steps: [],
  tool_calls: [],
  tool_results: [],
  tokens: noTokens,
}

/** An answer that no model gave, as it is told. */
export const saying = (text: string): ReadonlyArray<AgentEvent> => [
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: text },
  { type: "text-end", id: "text-1" },
]

/** Of an answer that no model gave. */
export const noCost = { tokens_used: 0, usage: {}, tool_calls: [], tool_results: [] }

/** What led to a reply, whole or not, and what it cost. */
export const costOf = ({ steps, model, provider, tokens }: Progress) => ({
  model,
  provider,
  tokens_used: Object.values(tokens).reduce((sum, count) => sum + count, 0),
  usage: { ...tokens },
  tool_calls: steps.flatMap((step) => step.toolCalls),
  tool_results: steps.flatMap((step) => step.toolResults),
})

/** What there is of a reply that was not finished: a paragraph of each step, but what goes on is no new one. */
export const textOf = (steps: ReadonlyArray<Pick<StepContent, "isContinued" | "text">>): string =>
  steps.reduce((said, { text }, index) => {
    const gap = said === "" || text === "" || steps[index - 1]?.isContinued === true ? "" : "\n\n"
    return said + gap + text
  }, "")
