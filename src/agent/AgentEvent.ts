import { Effect } from "effect"
import type { Source, Step, ToolCall } from "../domain/chat/Chat.ts"
import type { Unsupported } from "../domain/chat/Grounding.ts"
import type { ToolOutcome } from "./tools/AgentTool.ts"

/**
 * An event of a reply that is being made. Each step has the texts and tool calls as the model writes them, then the
 * outcomes of the calls as they end, then the sources. Every text that starts also ends, and every call has an outcome,
 * unless the reply is cut off.
 */
export type AgentEvent =
  /** The model has begun to answer. */
  | { readonly type: "step-start" }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string }
  /** The model has begun to write a tool call. */
  | { readonly type: "tool-start"; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | { readonly type: "tool-outcome"; readonly call: ToolCall; readonly outcome: ToolOutcome }
  | { readonly type: "source"; readonly source: Source }
  /** Sentences of the reply that no passage supports. */
  | { readonly type: "unsupported"; readonly sentences: ReadonlyArray<Unsupported> }
  | { readonly type: "step-end"; readonly step: Step }

/**
 * Passes an event to its consumer. An effect that it returns has to be run before the next event is passed, because the
 * consumer is behind; mostly it returns `undefined`, which saves the cost of an effect. Call it through `emitted` or
 * `allEmitted`.
 */
export type Emit<Event = AgentEvent> = (event: Event) => Effect.Effect<void> | undefined

/** The events of an answer that consists of one text. */
export const textEvents = (text: string): ReadonlyArray<AgentEvent> => [
  { type: "text-start", id: "text-1" },
  { type: "text-delta", id: "text-1", delta: text },
  { type: "text-end", id: "text-1" },
]

/** Passes an event to its consumer, if there is one. */
export const emitted = <Event>(emit: Emit<Event> | undefined, event: Event): Effect.Effect<void> =>
  Effect.suspend(() => emit?.(event) ?? Effect.void)

/** Passes on all events but those of texts. */
export const withoutTexts =
  (emit: Emit): Emit =>
  (event) =>
    event.type === "text-start" || event.type === "text-delta" || event.type === "text-end" ? undefined : emit(event)

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
