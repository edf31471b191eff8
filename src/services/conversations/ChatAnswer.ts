import { Effect, Struct } from "effect"
import type { AgentReply } from "../../agent/Agent.ts"
import type { Emit, ShownEvent, StepContent } from "../../agent/AgentEvent.ts"
import type { Progress } from "../../agent/Progress.ts"
import type { FinishReason, Citation, Step, ToolCall, ToolResult } from "../../domain/chat/Chat.ts"
import type { Unsupported } from "../../domain/chat/Grounding.ts"
import { type WrittenBy, writtenBy } from "../../domain/chat/WrittenBy.ts"
import type { ChatbotId, MessageId, SessionId } from "../../domain/Ids.ts"
import type { Notice } from "./ChatAdmission.ts"
import { noTokens, type TokenCounts } from "../../domain/organizations/Usage.ts"
import { attributes, genAi } from "../../observability/Attributes.ts"
import { annotateSpan, atBorder, outcomeOf, secondsSince } from "../../observability/Border.ts"
import { chat as metrics } from "../../observability/Metrics.ts"

/*
 * The answer of a chat: what it consists of, the events of which its stream consists, and how it is stored.
 */

/** Under which ids a reply is stored, and what is to be remarked on its request. */
export interface ReplyFacts {
  readonly session_id: SessionId
  /** The id of the stored reply. */
  readonly message_id: MessageId
  readonly notices: ReadonlyArray<Notice>
}

export interface ChatAnswer extends ReplyFacts {
  /** Undefined where there is no reply, as people answer. */
  readonly written_by: WrittenBy | undefined
  readonly finish_reason: FinishReason
  readonly output: string
  /** Whether people answer in the conversation from now on. */
  readonly handover?: { readonly owner: "people" }
  readonly sources: ReadonlyArray<Citation>
  /** Sentences of the output that no passage supports. */
  readonly unsupported: ReadonlyArray<Unsupported>
  readonly steps: ReadonlyArray<Step>
  readonly tool_calls: ReadonlyArray<ToolCall>
  readonly tool_results: ReadonlyArray<ToolResult>
  /** The sum over all steps. */
  readonly tokens: TokenCounts
}

/** An event of a reply that is streamed. */
export type ChatEvent =
  /** The first event: the user's message is stored, and the model will be called. */
  | ({ readonly type: "start" } & ReplyFacts)
  | ShownEvent
  /** People answer in the conversation from now on. */
  | { readonly type: "handover" }

/** Receives the events of a reply that is streamed. */
export type ChatEmit<Event = ChatEvent> = Emit<Event>

/** A step for callers who may not read the prompt, which is the system instruction and what was said before. */
export const withoutRequest = (step: Step): Step => ({ ...step, request: { body: "" } })

/** A step for callers who may read neither the prompt nor what the provider says. */
export const withoutInternals = (step: Step): Step => ({
  ...withoutRequest(step),
  warnings: step.warnings.map((warning) => (warning.type === "other" ? Struct.omit(warning, ["details"]) : warning)),
})

/** The fields of an answer with a reply of a model, whose steps the caller sees as `showStep` returns them. */
export const answerOf = (
  reply: AgentReply,
  showStep: (step: Step) => Step,
): Omit<ChatAnswer, keyof ReplyFacts> & { readonly written_by: WrittenBy } => ({
  written_by: writtenBy(reply.provider),
  finish_reason: reply.finishReason,
  output: reply.output,
  sources: reply.sources,
  unsupported: reply.unsupported,
  steps: reply.steps.map(showStep),
  tool_calls: reply.toolCalls,
  tool_results: reply.toolResults,
  tokens: reply.tokens,
})

/** The fields of an answer that the server gives without a model. */
export const withoutModel = {
  written_by: "rule" as const,
  finish_reason: "stop" as const,
  sources: [],
  unsupported: [],
  steps: [],
  tool_calls: [],
  tool_results: [],
  tokens: noTokens,
}

/** The end of an answer in a conversation that people have from now on. */
export const handedOver = { handover: { owner: "people" } } as const

/** The fields of an answer that the bot leaves to people. */
export const leftToPeople = {
  ...withoutModel,
  written_by: undefined,
  finish_reason: "other" as const,
  output: "",
  ...handedOver,
}

/** The cost of an answer that the server gives without a model, as it is stored. */
export const noCost = { tokens_used: 0, usage: {}, tool_calls: [], tool_results: [], sources: [] }

/** The model, tool calls, sources and tokens of a reply, whole or unfinished, as they are stored. */
export const costOf = ({ steps, sources, model, provider, tokens }: Progress) => ({
  model,
  provider,
  tokens_used: Object.values(tokens).reduce((sum, count) => sum + count, 0),
  usage: { ...tokens },
  tool_calls: steps.flatMap((step) => step.toolCalls),
  tool_results: steps.flatMap((step) => step.toolResults),
  sources,
})

/** Separator of the texts of two steps, unless the second one continues the first. */
export const STEP_GAP = "\n\n"

/**
 * The text of a reply with what all of its steps say: one paragraph for each, except that a continued step adds to the
 * last one. So it is streamed, and so it is stored for a visitor of the chat widget, or when it is unfinished.
 */
export const textOf = (steps: ReadonlyArray<Pick<StepContent, "isContinued" | "text">>): string => {
  let said = ""
  let gap = ""
  for (const { isContinued, text } of steps) {
    if (text !== "") {
      said += gap + text
      gap = ""
    }
    if (!isContinued && said !== "") gap = STEP_GAP
  }
  return said
}

/** Adds the chatbot and the conversation to the span of a chat. */
export const aboutChat = (chatbot: ChatbotId, session: SessionId): Effect.Effect<void> =>
  annotateSpan(() => ({
    [attributes.chatbot]: chatbot,
    [attributes.conversation]: session,
    [genAi.conversation]: session,
  }))

/** A chat's client, if its reply is streamed, and the milliseconds to the first word that it has received. */
export interface Followed {
  readonly emit: ChatEmit | undefined
  readonly firstWord: () => number | undefined
}

/** Measures a chat: the time to the first word, if it is streamed, and to its end. */
export const measuredChat = <A, E, R>(
  emit: ChatEmit | undefined,
  chat: (followed: Followed) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const begin = performance.now()
    let firstWord: number | undefined
    const watching: ChatEmit | undefined =
      emit &&
      ((event) => {
        if (firstWord === undefined && event.type === "text-delta") {
          firstWord = Math.round(performance.now() - begin)
          metrics.firstWord().observe(secondsSince(begin))
        }
        return emit(event)
      })
    return atBorder(chat({ emit: watching, firstWord: () => firstWord }), {
      span: "chat",
      timing: "total",
      measure: (seconds, exit) => {
        metrics.replies(outcomeOf(exit)).add()
        metrics.seconds().observe(seconds)
      },
    })
  })
