import { Effect } from "effect"
import type { Citation, Step, ToolCall } from "../domain/chat/Chat.ts"
import type { FoundPassage } from "../domain/chat/ReplyGround.ts"
import type { Unsupported } from "../domain/chat/Grounding.ts"
import type { Explanation } from "../domain/Failure.ts"
import type { HandoverReason } from "../domain/inbox/Handover.ts"
import type { ModelCost } from "../domain/organizations/Usage.ts"
import type { ToolOutcome } from "./tools/AgentTool.ts"

/** The part of a step that belongs to the content of a reply: its text, its tool calls and their results. */
export type StepContent = Pick<Step, "isContinued" | "text" | "toolCalls" | "toolResults">

/** A step, whole or as far as it was received, with its cost. */
export interface StepMade {
  readonly type: "step-made"
  readonly step: StepContent
  readonly cost: ModelCost
}

/**
 * An event that clients see of a reply that is being made. Each step has the texts and tool calls as the model writes
 * them, then the outcomes of the calls as they end, then the sources. Every text that starts also ends, and every call
 * has an outcome, unless the reply is cut off.
 */
export type ShownEvent =
  /** The model has begun to answer. `look` returns the step as far as it was received, until there is `step-made`. */
  | { readonly type: "step-start"; readonly look: () => StepMade }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string }
  /** The model has begun to write a tool call. */
  | { readonly type: "tool-start"; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | { readonly type: "tool-outcome"; readonly call: ToolCall; readonly outcome: ToolOutcome }
  | { readonly type: "source"; readonly source: Citation }
  /** Sentences of the reply that no passage supports. */
  | { readonly type: "unsupported"; readonly sentences: ReadonlyArray<Unsupported> }
  | { readonly type: "step-end"; readonly step: Step }

/** An event that no client sees. All events with a `cost` together are what the reply costs. */
export type KeptEvent =
  /** A step is made, and not reviewed yet; or it was cut off, and is as far as it was received, without results. */
  | StepMade
  /** A request was given up before its answer began. Its cost is estimated. */
  | { readonly type: "given-up"; readonly cost: ModelCost }
  /** A model has judged an answer. */
  | { readonly type: "judged"; readonly cost: ModelCost }
  /** It is decided, after the review if there is one, with which text the reply ends. */
  | { readonly type: "decided"; readonly text: string }
  /** A search begins, or has found something. */
  | {
      readonly type: "search"
      readonly query: string
      /** The best passages come first; undefined as the search begins. */
      readonly found: ReadonlyArray<FoundPassage> | undefined
      /** Whether the question was looked for among those that have approved answers, which every reply begins with. */
      readonly isLookup?: boolean
    }
  /** The model has asked for a person. The conversation is handed over with the reply. */
  | { readonly type: "human-requested"; readonly reason: HandoverReason }
  /** No model has answered, and the reply fails. */
  | { readonly type: "unanswered"; readonly explanation: Explanation }

/** An event of a reply that is being made. */
export type AgentEvent = ShownEvent | KeptEvent

const kept: Record<KeptEvent["type"], true> = {
  "step-made": true,
  "given-up": true,
  judged: true,
  decided: true,
  search: true,
  "human-requested": true,
  unanswered: true,
}

const isShown = (event: AgentEvent): event is ShownEvent => !(event.type in kept)

/**
 * Passes an event to its consumer. An effect that it returns has to be run before the next event is passed, because the
 * consumer is behind; mostly it returns `undefined`, which saves the cost of an effect. Call it through `emitted` or
 * `allEmitted`.
 */
export type Emit<Event = AgentEvent> = (event: Event) => Effect.Effect<void> | undefined

/** Takes an event into account, at once. */
export type Fold = (event: AgentEvent) => void

/** Passes each event to these folds, and then to the client, if there is one, what it sees. */
export const emitTo =
  (client: Emit<ShownEvent> | undefined, ...folds: ReadonlyArray<Fold>): Emit =>
  (event) => {
    for (const fold of folds) fold(event)
    return client !== undefined && isShown(event) ? client(event) : undefined
  }

/** The events of an answer that consists of one text. */
export const textEvents = (text: string): ReadonlyArray<ShownEvent> => [
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: text },
  { type: "text-end", id: "text-1" },
]

/** Passes an event to its consumer, if there is one. */
export const emitted = <Event>(emit: Emit<Event> | undefined, event: Event): Effect.Effect<void> =>
  Effect.suspend(() => emit?.(event) ?? Effect.void)

/** Passes events to their consumer in order. Like `Emit`, it returns `undefined` where nothing has to be waited for. */
export const allEmitted = <Event>(
  emit: Emit<Event>,
  [event, ...later]: ReadonlyArray<Event>,
): Effect.Effect<void> | undefined => {
  if (event === undefined) return undefined
  const wait = emit(event)
  return wait === undefined
    ? allEmitted(emit, later)
    : Effect.andThen(
        wait,
        Effect.suspend(() => allEmitted(emit, later) ?? Effect.void),
      )
}
