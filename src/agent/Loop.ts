import { DateTime, type Duration, Effect } from "effect"
import type { Response } from "effect/ai"
import * as Prompt from "effect/ai/Prompt"
import type { Source, Step, ToolCall } from "../domain/chat/Chat.ts"
import type { Unsupported } from "../domain/chat/Grounding.ts"
import { addTokens, noTokens, type TokenCounts } from "../domain/organizations/Usage.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import type { ProviderFailure } from "../models/calls/ProviderFailure.ts"
import { turn } from "../system/LoopTurns.ts"
import { type Emit, emitted, textEvents } from "./AgentEvent.ts"
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

/** Calls a model once. `onCut` is called with what was received of an answer that failed or was interrupted. */
export type Generate = (
  request: StepRequest,
  onCut: (generation: Generation) => Effect.Effect<void>,
) => Effect.Effect<Generation, ProviderFailure>

/** An answer that may end a reply, with the steps that led to it. */
export interface AnswerToReview {
  readonly output: string
  readonly steps: ReadonlyArray<Step>
  readonly generation: Generation
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
  readonly sourcesOf: (generation: Generation) => Effect.Effect<ReadonlyArray<Source>>
  readonly onStep: (step: Step, generation: Generation) => Effect.Effect<void>
  /** Called with the most tokens of a prompt that fitted, once a longer one did not fit the first model. */
  readonly onShortened?: ((promptTokensMax: number) => Effect.Effect<void>) | undefined
  readonly onSource: ((source: Source) => void) | undefined
  /** Reviews the text of an answer that may end the reply. Without it, every answer is accepted. */
  readonly review?: ((answer: AnswerToReview) => Effect.Effect<Review, never, CurrentOrganization>) | undefined
  /** Whether no text is emitted, or passed to `onStep`, before it was reviewed and accepted. */
  readonly isWithheld?: boolean
  /** Receives the events that `generate` does not emit: outcomes, sources and the end of each step. */
  readonly emit: Emit | undefined
}

interface LoopResult {
  /** The text of the last step, preceded by the texts of the steps that it continues. */
  readonly output: string
  readonly sources: ReadonlyArray<Source>
  readonly steps: ReadonlyArray<Step>
  readonly last: Step
  /** Whether the model has said in the output that it gives no answer. */
  readonly saysNoAnswer: boolean
  readonly unsupported: ReadonlyArray<Unsupported>
  readonly tokens: TokenCounts
}

/** Calls the model, and runs the tools that it calls, until it answers without calling one. */
export const runLoop = Effect.fnUntraced(function* (
  options: LoopOptions,
): Effect.fn.Return<LoopResult, ProviderFailure, CurrentOrganization> {
  const { emit, isWithheld = false, limits } = options
  const hasTools = options.tools.length > 0
  const steps: Array<Step> = []
  const sources: Array<Source> = []
  const repeats = new Repeats()
  let messages = options.opening
  let promptTokensMax = limits.promptTokensMax
  let isShortened = false
  let stepType: Step["stepType"] = "initial"
  let tokens = noTokens
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
    const stepOf = (generation: Generation, isContinued: boolean, outcomes: ReadonlyArray<ToolOutcome>) =>
      Effect.map(DateTime.now, (now) =>
        makeStep({ generation, stepType, isContinued, outcomes, previous: steps.at(-1), now }),
      )
    const onCut = (generation: Generation) =>
      Effect.flatMap(stepOf(generation, false, []), (step) =>
        options.onStep(isWithheld ? withText(step, "") : step, generation),
      )
    // The model's context may be shorter than the setting: what is shown is shortened by half until it fits.
    const generation = yield* Effect.catchIf(
      options.generate(request, onCut),
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
    const outcomes = yield* Effect.onInterrupt(Effect.andThen(turn, answerCalls(generation, mayCall, options)), () =>
      onCut(generation),
    )
    const isCut = shown.length < messages.length
    const made = yield* stepOf(isCut ? withoutBeginning(generation) : generation, isContinued, outcomes)
    tokens = addTokens(tokens, generation.tokens)
    output = stepType === "continue" ? output + made.text : made.text
    saysNoAnswer = generation.saysNoAnswer || (stepType === "continue" && saysNoAnswer)
    yield* options.onStep(isWithheld ? withText(made, "") : made, generation)
    const hasResults = generation.calls.length > 0 && mayCall && generation.finish !== "content-filter"
    const isFinal = !hasResults && !isContinued
    const review = isFinal
      ? yield* options.review?.({ output, steps: [...steps, made], generation }) ?? Effect.succeed(accepted)
      : undefined
    const unsupported = review?.type === "accepted" ? review.unsupported : []
    if (review?.type === "refused") {
      output = review.text
      saysNoAnswer = true
    }
    const isShown = review?.type === "accepted" || review?.type === "refused"
    const step = isWithheld ? withText(made, isShown ? output : "") : made
    steps.push(step)
    if (isWithheld && isShown) yield* emitText(emit, output)
    if (isWithheld ? review?.type === "accepted" : true) {
      for (const source of yield* options.sourcesOf(generation)) {
        sources.push(source)
        options.onSource?.(source)
        yield* emitted(emit, { type: "source", source })
      }
    }
    if (unsupported.length > 0) yield* emitted(emit, { type: "unsupported", sentences: unsupported })
    yield* emitted(emit, { type: "step-end", step })
    if (isShown) return { output, sources, steps, last: step, saysNoAnswer, unsupported, tokens }
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

/** A step with another text, without the messages that repeat the one it had, and a request that may quote a refused one. */
const withText = (step: Step, text: string): Step => ({
  ...step,
  text,
  request: { body: "" },
  response: { ...step.response, messages: [] },
})

const emitText = (emit: Emit | undefined, text: string) =>
  Effect.forEach(textEvents(text), (event) => emitted(emit, event), { discard: true })

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
