import { DateTime, Duration, Effect } from "effect"
import { type AiError, Prompt, type Response } from "effect/ai"
import type { Step, ToolCall } from "../domain/Chat.ts"
import { addTokens, type AnswerPart, type Generation, noTokens, readGeneration, type Tokens } from "./Generation.ts"
import { makeStep } from "./Steps.ts"
import { failedOutcome, runTool, type Search, type ToolLimits, toolLimits, type ToolOutcome } from "./Tools.ts"

export interface AgentLimits extends ToolLimits {
  /** Most calls of the model for one reply; the last one may not call tools, so that there is an answer. */
  readonly stepsMax: number
  /** So many identical calls in a row end the calling. */
  readonly identicalCallsMax: number
  /** How long a whole reply may take. */
  readonly replyDeadline: Duration.Duration
}

export const agentLimits: AgentLimits = {
  ...toolLimits,
  stepsMax: 6,
  identicalCallsMax: 3,
  replyDeadline: Duration.seconds(120),
}

export interface StepRequest {
  readonly messages: ReadonlyArray<Prompt.Message>
  /** `shown`: the model sees the tools, so that its earlier calls stay explained, but may not call them. */
  readonly tools: "offered" | "shown" | "none"
}

/** One call of a model. */
export type Generate = (request: StepRequest) => Effect.Effect<ReadonlyArray<AnswerPart>, AiError.AiError>

export interface LoopOptions {
  readonly opening: ReadonlyArray<Prompt.Message>
  readonly toolsEnabled: boolean
  readonly limits: AgentLimits
  readonly generate: Generate
  readonly search: Search
  readonly onStep: (step: Step, tokens: Tokens) => Effect.Effect<void>
}

export interface LoopResult {
  /** The text of the last step, after that of the steps it continues. */
  readonly output: string
  readonly steps: ReadonlyArray<Step>
  readonly last: Step
  readonly tokens: Tokens
}

/** Calls the model and runs the tools that it calls, until it has an answer. */
export const runLoop = Effect.fnUntraced(function* (
  options: LoopOptions,
): Effect.fn.Return<LoopResult, AiError.AiError> {
  const { limits, toolsEnabled } = options
  const steps: Array<Step> = []
  const repeats = new Repeats()
  let messages = options.opening
  let stepType: Step["stepType"] = "initial"
  let tokens = noTokens
  let output = ""
  while (true) {
    const isLast = steps.length + 1 >= limits.stepsMax
    const mayCall = toolsEnabled && !isLast && repeats.count < limits.identicalCallsMax
    const tools = toolsEnabled ? (mayCall ? "offered" : "shown") : "none"
    const generation = readGeneration(yield* options.generate({ messages, tools }))
    const isContinued = generation.calls.length === 0 && generation.finish === "pause" && !isLast
    const base = { generation, stepType, isContinued, previous: steps.at(-1), now: yield* DateTime.now }
    const outcomes = yield* answerCalls(generation, mayCall, options).pipe(
      Effect.onInterrupt(() => options.onStep(makeStep({ ...base, outcomes: [] }), generation.tokens)),
    )
    const step = makeStep({ ...base, outcomes })
    steps.push(step)
    tokens = addTokens(tokens, generation.tokens)
    output = stepType === "continue" ? output + step.text : step.text
    yield* options.onStep(step, generation.tokens)
    const hasResults = generation.calls.length > 0 && mayCall && generation.finish !== "content-filter"
    if (!hasResults && !isContinued) return { output, steps, last: step, tokens }
    stepType = hasResults ? "tool-result" : "continue"
    messages = messages.concat(nextMessages(generation, outcomes))
    for (const call of generation.calls) repeats.add(call)
  }
})

/** The answers that a model may be taken at their word for; others were cut off in some way. */
const wholeReasons: ReadonlySet<Response.FinishReason> = new Set(["stop", "tool-calls", "pause"])

/** One outcome for each call, for all of them have to be answered. */
const answerCalls = (
  { calls, finish }: Generation,
  mayCall: boolean,
  { limits, search }: LoopOptions,
): Effect.Effect<ReadonlyArray<ToolOutcome>> => {
  if (calls.length === 0) return Effect.succeed([])
  return Effect.forEach(
    calls,
    (call, index) => {
      if (!mayCall) return Effect.succeed(failedOutcome("No more tools may be called for this answer."))
      if (!wholeReasons.has(finish)) return Effect.succeed(failedOutcome("The call was cut off and did not run."))
      if (index >= limits.callsMax)
        return Effect.succeed(failedOutcome("Too many calls at once; this one did not run."))
      return runTool({ name: call.toolName, params: call.args }, search, limits)
    },
    // One call alone needs no fiber of its own.
    { concurrency: Math.min(limits.concurrency, calls.length) },
  )
}

/** The answer as the model gave it, and what its calls led to. */
const nextMessages = (generation: Generation, outcomes: ReadonlyArray<ToolOutcome>): ReadonlyArray<Prompt.Message> => {
  const answer = Prompt.fromResponseParts(generation.parts).content
  if (outcomes.length === 0) return answer
  const results = generation.calls.flatMap((call, index) => {
    const outcome = outcomes[index]
    return outcome === undefined
      ? []
      : [Prompt.toolResultPart({ id: call.toolCallId, name: call.toolName, providerExecuted: false, ...outcome })]
  })
  return [...answer, Prompt.toolMessage({ content: results })]
}

/** Counts how often the last call was made in a row. */
class Repeats {
  count = 0
  private last = ""

  add(call: ToolCall): void {
    const made = JSON.stringify([call.toolName, call.args])
    this.count = made === this.last ? this.count + 1 : 1
    this.last = made
  }
}
