import { Context, Effect, Layer } from "effect"
import type { ChatTurn, FinishReason, Step, ToolCall, ToolResult } from "../domain/chat/Chat.ts"
import { Unavailable } from "../domain/Errors.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import type { Unsupported } from "../domain/chat/Grounding.ts"
import type { GroundingMode } from "../domain/chatbot/GroundingMode.ts"
import type { ModelCost } from "../domain/organizations/Usage.ts"
import { model as metrics } from "../observability/Metrics.ts"
import { type Emit, emitted } from "./AgentEvent.ts"
import { askedIn } from "./Asked.ts"
import { reviewOf } from "./grounding/Review.ts"
import { withheld } from "./grounding/Withheld.ts"
import { sourcesOf } from "./Citations.ts"
import { makeGenerate } from "./Generate.ts"
import { type Instructions, openingMessages, systemText } from "./Instructions.ts"
import { type AgentLimits, type AgentSettings, type AgentSizes, agentSizes, runLoop } from "./Loop.ts"
import { afterEvent, noProgress, type Progress } from "./Progress.ts"
import { type ProviderFailure, timedOut } from "../models/calls/ProviderFailure.ts"
import { explanationOf } from "../models/Explanations.ts"
import type { KnownTraits, ModelBounds } from "../models/ModelCalls.ts"
import { Models, type ModelUnavailable } from "../models/Models.ts"
import { LOGGED_MAX_LENGTH, type ProviderError, toProviderError } from "../models/ClientFailures.ts"
import type { AgentTool, ToolSizes } from "./tools/AgentTool.ts"
import type { Passage } from "../domain/knowledge/Passage.ts"
import { passageJson, passagesJson, type Search, searchTool } from "./tools/SearchTool.ts"
import { type ListDocuments, listTool } from "./tools/ListTool.ts"
import { listDocuments, requestHuman, searchKnowledgeBase } from "../models/ToolDeclaration.ts"
import { requestHumanTool } from "./tools/RequestHumanTool.ts"
import type { BoundedText } from "../text/BoundedText.ts"

/** The chatbot and the conversation of a reply. */
export interface AgentInput {
  readonly model: string
  /** Models that are called in turn, each when the provider of the model before it fails. */
  readonly fallbackModels?: ReadonlyArray<string> | undefined
  readonly instructions: Instructions
  /**
   * Without tools, the knowledge base is searched once, and the model gets the passages together with the question. The
   * same is done where the model's server refuses tools.
   */
  readonly toolsEnabled: boolean
  /** Whether the sentences of the reply are compared with what the model was given, and the model that judges the rest. */
  readonly grounding?: GroundingMode | undefined
  readonly judgeModel?: string | undefined
  /** The conversation, whose last turn is the user's. */
  readonly history: ReadonlyArray<ChatTurn>
  readonly search: Search
  /**
   * Finds the approved answer to the last message, by what it asks in several wordings. Undefined where the chatbot has no
   * approved answers.
   */
  readonly approved?: FindApproved | undefined
  /** Lists the chatbot's documents. Without it, the model is offered no list of them. */
  readonly documents?: ListDocuments | undefined
  /** Whether the model is offered the tool that asks for a person. */
  readonly offersHuman?: boolean | undefined
  /** Further tools, which are offered beside the search where tools are enabled. */
  readonly tools?: ReadonlyArray<AgentTool>
  /** Receives the events of the reply as they happen, so that nothing is lost of one that fails or is interrupted. */
  readonly emit?: Emit | undefined
  /** Whether the model's answers are requested as streams. */
  readonly isStreamed?: boolean | undefined
  readonly bounds?: ModelBounds | undefined
  /** Whether the steps of a stream show the requests that were sent to the model, as those of a whole answer do. */
  readonly showsRequests?: boolean | undefined
  /** Whether the failure says why no model has answered, which visitors must not see. */
  readonly explainsFailures?: boolean | undefined
}

/** Finds the approved answer to a question that stands alone. `before` are the messages of the user before it. */
export type FindApproved = (
  texts: readonly [BoundedText, ...ReadonlyArray<BoundedText>],
  before: ReadonlyArray<BoundedText>,
) => Effect.Effect<Passage | undefined, Unavailable>

export interface AgentReply extends Omit<Progress, "open"> {
  readonly output: string
  readonly finishReason: FinishReason
  /** Whether the model has said that the output is no answer, or it was refused. */
  readonly saysNoAnswer: boolean
  /** Sentences of the output that nothing supports which the model was given. */
  readonly unsupported: ReadonlyArray<Unsupported>
  readonly steps: ReadonlyArray<Step>
  /** The tool calls, and the results, of all steps. */
  readonly toolCalls: ReadonlyArray<ToolCall>
  readonly toolResults: ReadonlyArray<ToolResult>
}

/** Makes a chatbot's reply to a conversation. */
export class Agent extends Context.Service<
  Agent,
  { readonly reply: (input: AgentInput) => Effect.Effect<AgentReply, ProviderError, CurrentOrganization> }
>()("parley/agent/Agent") {
  static readonly layer = (settings: AgentSettings & Partial<AgentSizes>): Layer.Layer<Agent, never, Models> =>
    Layer.effect(
      Agent,
      Effect.gen(function* () {
        const models = yield* Models
        const limits = { ...agentSizes, ...settings }
        const reply = Effect.fnUntraced(
          function* (input: AgentInput) {
            const named = yield* Effect.mapError(models.get(input.model, input.fallbackModels), notConfigured)
            const { calls, provider } = named
            let progress = noProgress
            const steps: Array<Step> = []
            const outer: Emit = (event) => {
              progress = afterEvent(progress, event)
              if ("cost" in event) countTokens(event.cost)
              if (event.type === "step-end") steps.push(event.step)
              return input.emit?.(event)
            }
            // A model that quotes needs no review, but one of its fallbacks may.
            const mayInvent = provider !== "local" || (input.fallbackModels ?? []).length > 0
            const emit = input.grounding === "strict" && mayInvent ? withheld(outer) : outer
            const found: Array<Passage> = []
            const search: Search = (query) =>
              Effect.map(input.search(query), (passages) => {
                found.push(...passages)
                return passages
              })
            const onApproved = (passage: Passage) => void found.push(passage)
            const question = input.history.at(-1)?.content ?? ""
            const learn = (learned: Partial<KnownTraits>) => calls.traits?.learn(learned) ?? Effect.void
            const known = calls.traits && (yield* calls.traits.known)
            const promptTokensMax = Math.min(limits.promptTokensMax, known?.promptTokensMax ?? limits.promptTokensMax)
            const offered = toolsOf({ ...input, search, emit }, limits)
            const cutOff = Effect.suspend(() => (progress.open && outer(progress.open())) ?? Effect.void)
            const run = Effect.fnUntraced(
              function* (takesTools: boolean) {
                const toolsEnabled = input.toolsEnabled && takesTools
                const tools = takesTools ? offered : []
                return yield* runLoop({
                  opening: yield* openingOf({ ...input, search, toolsEnabled }, limits, onApproved),
                  tools,
                  limits: { ...limits, promptTokensMax },
                  onShortened: (most) => learn({ promptTokensMax: Math.max(most, PROMPT_TOKENS_MIN) }),
                  generate: makeGenerate({ ...input, named, tools, emit }),
                  sourcesOf: (generation) => sourcesOf(generation, { question, found }),
                  emit,
                  review: reviewOf(input, { models, found, emit, isQuoted: () => progress.provider === "local" }),
                })
              },
              Effect.onError(() => cutOff),
            )
            const withoutTools = (failure: ProviderFailure) => {
              // A tool of this chatbot may be what is refused, which concerns no other chatbot.
              const isForAll = offered.every(({ inputSchema }) => commonInputs.has(inputSchema))
              const reply = run(false)
              return isForAll && failure.first === undefined ? Effect.tap(reply, learn({ takesTools: false })) : reply
            }
            const takesTools = known?.takesTools !== false
            const result = yield* run(takesTools).pipe(
              Effect.catchTag("ProviderFailure", (failure) =>
                takesTools && progress.costs.length === 0 && failure.kind === "tools-refused"
                  ? withoutTools(failure)
                  : Effect.fail(failure),
              ),
            )
            return {
              ...progress,
              ...result,
              steps,
              toolCalls: steps.flatMap((step) => step.toolCalls),
              toolResults: steps.flatMap((step) => step.toolResults),
            }
          },
          Effect.timeoutOrElse({
            duration: limits.replyDeadline,
            orElse: () => Effect.fail(timedOut("The whole reply took too long")),
          }),
          (reply, { emit, explainsFailures = false }) =>
            Effect.catchTag(reply, "ProviderFailure", (failure) => {
              const explanation = explanationOf(failure)
              return logFailure(failure).pipe(
                Effect.andThen(emitted(emit, { type: "unanswered", explanation })),
                Effect.andThen(Effect.fail(toProviderError(failure, explainsFailures ? explanation : undefined))),
              )
            }),
        )
        return Agent.of({ reply })
      }),
    )
}

/** The inputs of tools that all chatbots have. */
const commonInputs = new Set([searchKnowledgeBase, listDocuments, requestHuman].map(({ inputSchema }) => inputSchema))

/** The least tokens to which prompts of a model are bounded, even if less has fitted once. */
const PROMPT_TOKENS_MIN = 2_000

const countTokens = ({ model, provider, tokens }: ModelCost): void => {
  for (const [kind, count] of Object.entries(tokens)) metrics.tokens(provider, model, kind).add(count)
}

/** The wait that is asked of clients while a model's provider is not configured: an operator has to do it first. */
const NOT_CONFIGURED_RETRY_AFTER_SECONDS = 60

const notConfigured = ({ detail }: ModelUnavailable) =>
  new Unavailable({ detail, retry_after_seconds: NOT_CONFIGURED_RETRY_AFTER_SECONDS })

/**
 * The tools of a reply. A tool of the chatbot's owner that has the name of the list of documents, from a time when there
 * was no such list, stands in its place, because no provider accepts two tools of one name.
 */
const toolsOf = (input: AgentInput & { readonly emit: Emit }, limits: ToolSizes): ReadonlyArray<AgentTool> => {
  const { documents, emit, offersHuman, search, tools = [] } = input
  const human = offersHuman === true ? [requestHumanTool(emit)] : []
  if (!input.toolsEnabled) return human
  const others = tools.filter(({ name }) => human.length === 0 || name !== requestHuman.name)
  const isTaken = tools.some(({ name }) => name === listDocuments.name)
  return [
    searchTool(search, limits),
    ...(documents === undefined || isTaken ? [] : [listTool(documents)]),
    ...human,
    ...others,
  ]
}

const openingOf = Effect.fnUntraced(function* (
  input: AgentInput,
  limits: AgentLimits,
  onApproved: (answer: Passage) => void,
) {
  const { approved: find, history, instructions, toolsEnabled } = input
  const system = systemText(instructions, toolsEnabled, find !== undefined)
  if (toolsEnabled && find === undefined) return openingMessages(system, instructions, history, undefined)
  const { before, texts, wordings } = askedIn(history, instructions.chatbotName)
  const answer = find && (yield* find(wordings, before))
  if (answer !== undefined) onApproved(answer)
  const approved = answer && passageJson(answer)
  if (toolsEnabled) return openingMessages(system, instructions, history, undefined, approved)
  const passages = yield* input
    .search(texts[0].text)
    .pipe(Effect.timeoutOrElse({ duration: limits.callTimeout, orElse: () => Effect.fail(searchTimedOut) }))
  const others = passages.filter(({ documentId }) => documentId !== answer?.documentId)
  return openingMessages(system, instructions, history, passagesJson(others, limits), approved)
})

const searchTimedOut = new Unavailable({ detail: "The knowledge base took too long.", retry_after_seconds: 10 })

const logFailure = ({ description, kind, provider }: ProviderFailure) => {
  const detail = description.slice(0, LOGGED_MAX_LENGTH)
  // An error, because every call fails until an operator corrects the key.
  return kind === "credentials"
    ? Effect.logError("The model provider refuses our key", { provider, detail })
    : Effect.logWarning("The model call failed", { provider, reason: kind, detail })
}
