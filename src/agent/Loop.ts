import { DateTime, type Duration, Effect } from "effect"
import type { Response } from "effect/ai"
import * as Prompt from "effect/ai/Prompt"
import type { FinishReason, Citation, Step, ToolCall } from "../domain/chat/Chat.ts"
import type { Unsupported } from "../domain/chat/Grounding.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import type { ProviderFailure } from "../models/calls/ProviderFailure.ts"
import { turn } from "../system/LoopTurns.ts"
import { type AgentEvent, type Emit, emitted } from "./AgentEvent.ts"
import type { Generation } from "./Generation.ts"
import { makeStep } from "./Steps.ts"
import { tokensOf, trimHistory } from "./TrimHistory.ts"
import {
  type AgentTool,
  failedOutcome,
  runTool,
  type ToolOutcome,
  type ToolSizes,
  toolSizes,
} from "./tools/AgentTool.ts"

/** The limits of replies that are settings. */
export interface AgentSettings {
  /** The most calls of the model for one reply. The last one may not call tools, so that there is an answer. */
  readonly stepsMax: number
  /** The longest time that a whole reply may take. */
  readonly replyDeadline: Duration.Duration
  /** The most tokens of the messages of one call of the model, estimated. Older turns beyond it are left out. */
  readonly promptTokensMax: number
}

/** The limits of replies that are constants of the server. */
export interface AgentSizes extends ToolSizes {
  /** The number of identical tool calls in a row after which the model may call no more tools. */
  readonly identicalCallsMax: number
}

export const agentSizes: AgentSizes = { ...toolSizes, identicalCallsMax: 3 }

export interface AgentLimits extends AgentSettings, AgentSizes {}

export interface StepRequest {
  readonly messages: ReadonlyArray<Prompt.Message>
  /** With `shown`, the model sees the declarations, which explain its earlier calls, but may not call the tools. */
  readonly tools: "offered" | "shown" | "none"
}

/** Calls a model once. */
export type Generate = (request: StepRequest) => Effect.Effect<Generation, ProviderFailure>

/** An answer that may end a reply, with the steps that led to it. */
export interface AnswerToReview {
  readonly output: string
  readonly steps: ReadonlyArray<Step>
}

/** What becomes of an answer: it ends the reply, is made once more with a remark, or gives way to a text that ends the reply. */
export type Review =
  | { readonly type: "accepted"; readonly unsupported: ReadonlyArray<Unsupported> }
  | { readonly type: "again"; readonly remark: string }
  | { readonly type: "refused"; readonly text: string }

const accepted: Review = { type: "accepted", unsupported: [] }

interface LoopOptions {
  readonly opening: ReadonlyArray<Prompt.Message>
  /** The tools that the model may call. */
  readonly tools: ReadonlyArray<AgentTool>
  readonly limits: AgentLimits
  readonly generate: Generate
  /** Finds the sources of an answer. */
  readonly sourcesOf: (generation: Generation) => Effect.Effect<ReadonlyArray<Citation>>
  /** Called with the most tokens of a prompt that fitted, once a longer one did not fit the first model. */
  readonly onShortened?: ((promptTokensMax: number) => Effect.Effect<void>) | undefined
  /** Reviews the text of an answer that may end the reply. Without it, every answer is accepted. */
  readonly review?: ((answer: AnswerToReview) => Effect.Effect<Review, never, CurrentOrganization>) | undefined
  /** Receives the events that `generate` does not emit. */
  readonly emit: Emit
}

interface LoopResult {
  /** The text of the last step, preceded by the texts of the steps that it continues. */
  readonly output: string
  readonly finishReason: FinishReason
  /** Whether the model has said in the output that it gives no answer. */
  readonly saysNoAnswer: boolean
  readonly unsupported: ReadonlyArray<Unsupported>
}

/** Calls the model, and runs the tools that it calls, until it answers without calling one. */
export const runLoop = Effect.fnUntraced(function* (
  options: LoopOptions,
): Effect.fn.Return<LoopResult, ProviderFailure, CurrentOrganization> {
  const { limits } = options
  // What has happened is told at once: an effect could be interrupted before it runs.
  const emit = (event: AgentEvent) => options.emit(event) ?? Effect.void
  const hasTools = options.tools.length > 0
  const steps: Array<Step> = []
  const repeats = new Repeats()
  let messages = options.opening
  let promptTokensMax = limits.promptTokensMax
  let isShortened = false
  let stepType: Step["stepType"] = "initial"
  let output = ""
  let saysNoAnswer = false
  /** The messages before the answer, without what it continues. */
  let question = messages
  while (true) {
    if (stepType !== "continue") question = messages
    const isLast = steps.length + 1 >= limits.stepsMax
    const mayCall = hasTools && !isLast && repeats.count < limits.identicalCallsMax
    const shown = trimHistory(messages, promptTokensMax)
    const request = { messages: shown, tools: hasTools ? (mayCall ? "offered" : "shown") : "none" } as const
    // The model's context may be shorter than the setting: what is shown is shortened by half until it fits.
    const generation = yield* Effect.catchIf(
      options.generate(request),
      ({ kind }) => kind === "too-long",
      (failure) => {
        promptTokensMax = Math.floor(Math.min(promptTokensMax, tokensOf(shown)) / 2)
        isShortened = failure.first === undefined
        return trimHistory(messages, promptTokensMax).length < shown.length ? Effect.undefined : Effect.fail(failure)
      },
    )
    if (generation === undefined) continue
    if (isShortened) yield* options.onShortened?.(promptTokensMax) ?? Effect.void
    isShortened = false
    const isContinued = generation.calls.length === 0 && generation.finish === "pause" && !isLast
    const outcomes = yield* Effect.andThen(turn, answerCalls(generation, mayCall, options))
    const isCut = shown.length < messages.length
    const step = makeStep({
      generation: isCut ? withoutBeginning(generation) : generation,
      stepType,
      isContinued,
      outcomes,
      previous: steps.at(-1),
      now: yield* DateTime.now,
    })
    steps.push(step)
    output = stepType === "continue" ? output + step.text : step.text
    saysNoAnswer = generation.saysNoAnswer || (stepType === "continue" && saysNoAnswer)
    const { text, toolCalls, toolResults } = step
    yield* emit({ type: "step-made", step: { isContinued, text, toolCalls, toolResults }, cost: generation.cost })
    const hasResults = generation.calls.length > 0 && mayCall && generation.finish !== "content-filter"
    const isFinal = !hasResults && !isContinued
    const review = isFinal ? yield* options.review?.({ output, steps }) ?? Effect.succeed(accepted) : undefined
    if (review?.type === "refused") {
      output = review.text
      saysNoAnswer = true
    }
    const isDecided = review?.type === "accepted" || review?.type === "refused"
    if (isDecided) yield* emit({ type: "decided", text: output })
    if (review === undefined || review.type === "accepted")
      for (const source of yield* options.sourcesOf(generation)) yield* emit({ type: "source", source })
    const unsupported = review?.type === "accepted" ? review.unsupported : []
    if (unsupported.length > 0) yield* emit({ type: "unsupported", sentences: unsupported })
    yield* emit({ type: "step-end", step })
    if (isDecided) return { output, finishReason: step.finishReason, saysNoAnswer, unsupported }
    if (review?.type === "again") {
      stepType = "initial"
      messages = withRemark(question, review.remark)
      continue
    }
    stepType = hasResults ? "tool-result" : "continue"
    messages = messages.concat(nextMessages(generation, outcomes))
    for (const call of generation.calls) repeats.add(call)
  }
})

/** Says with an answer that its model has not seen the whole conversation. */
const withoutBeginning = (generation: Generation): Generation => {
  const message = "The beginning of the conversation was left out, because it does not fit into the model's context."
  const warnings = [...generation.exchange.warnings, { type: "other" as const, message }]
  return { ...generation, exchange: { ...generation.exchange, warnings } }
}

/** Adds a remark to the user's last message, which no shortening of the history leaves out. */
const withRemark = (messages: ReadonlyArray<Prompt.Message>, remark: string): ReadonlyArray<Prompt.Message> => {
  const at = messages.findLastIndex(({ role }) => role === "user")
  return messages.map((message, index) =>
    index === at && message.role === "user"
      ? Prompt.userMessage({ content: [...message.content, Prompt.textPart({ text: remark })] })
      : message,
  )
}

/** The finish reasons of complete answers. The calls of other answers may be cut off, and do not run. */
const wholeReasons: ReadonlySet<Response.FinishReason> = new Set(["stop", "tool-calls", "pause"])

/** Runs the tool calls of an answer. There is an outcome for each of them, because providers require one. */
const answerCalls = (
  generation: Generation,
  mayCall: boolean,
  { emit, limits, tools }: LoopOptions,
): Effect.Effect<ReadonlyArray<ToolOutcome>> => {
  const { calls } = generation
  if (calls.length === 0) return Effect.succeed([])
  return Effect.forEach(
    calls,
    (call, index) => {
      const refusal = refusalOf(generation, mayCall, index, limits)
      const outcome =
        refusal === undefined
          ? runTool({ name: call.toolName, params: call.args }, tools, limits)
          : Effect.succeed(failedOutcome(refusal))
      return Effect.tap(outcome, (outcome) => emitted(emit, { type: "tool-outcome", call, outcome }))
    },
    // One call alone needs no fiber of its own.
    { concurrency: Math.min(limits.concurrency, calls.length) },
  )
}

/** The reason why a call does not run, or undefined when it may run. */
const refusalOf = (
  { finish }: Generation,
  mayCall: boolean,
  index: number,
  { callsMax }: ToolSizes,
): string | undefined => {
  if (!mayCall) return "No more tools may be called for this answer."
  if (!wholeReasons.has(finish)) return "The call was cut off and did not run."
  return index >= callsMax ? "Too many calls at once; this one did not run." : undefined
}

/** The messages that the next request adds: the model's answer, and the results of its calls. */
const nextMessages = (generation: Generation, outcomes: ReadonlyArray<ToolOutcome>): ReadonlyArray<Prompt.Message> => {
  const answer = assistantMessages(generation.parts)
  if (outcomes.length === 0) return answer
  const results = generation.calls.flatMap((call, index) => {
    const outcome = outcomes[index]
    return outcome === undefined
      ? []
      : [Prompt.toolResultPart({ id: call.toolCallId, name: call.toolName, providerExecuted: false, ...outcome })]
  })
  return [...answer, Prompt.toolMessage({ content: results })]
}

const assistantMessages = (parts: ReadonlyArray<Response.PartEncoded>): ReadonlyArray<Prompt.Message> => {
  const content = parts.flatMap(assistantPart)
  return content.length === 0 ? [] : [Prompt.assistantMessage({ content })]
}

const assistantPart = (part: Response.PartEncoded): ReadonlyArray<Prompt.AssistantMessagePart> => {
  switch (part.type) {
    case "text":
      return [Prompt.textPart({ text: part.text, options: { ...part.metadata } })]
    case "reasoning":
      return [Prompt.reasoningPart({ text: part.text, options: { ...part.metadata } })]
    case "tool-call":
      return [
        Prompt.toolCallPart({
          id: part.id,
          name: part.name,
          params: part.params,
          providerExecuted: false,
          options: { ...part.metadata },
        }),
      ]
    default:
      return []
  }
}

/** Counts how many times in a row the last tool call was made. */
class Repeats {
  count = 0
  private last = ""

  add(call: ToolCall): void {
    const key = JSON.stringify([call.toolName, call.args])
    this.count = key === this.last ? this.count + 1 : 1
    this.last = key
  }
}
