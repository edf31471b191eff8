import type { Effect } from "effect"
import type { Source, Step, ToolCall } from "../domain/chat/Chat.ts"
import type { ToolOutcome } from "./tools/AgentTool.ts"

/**
 * What happens while a reply is made, as it happens: in each step texts and calls as the model writes them, then the
 * outcomes of the calls as they end, then the sources. Every text that starts ends and every call has an outcome, unless
 * the reply is cut off.
 */
export type AgentEvent =
  /** The model has begun to answer. */
  | { readonly type: "step-start" }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string }
  /** The model has begun to write a call. */
  | { readonly type: "tool-start"; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | { readonly type: "tool-outcome"; readonly call: ToolCall; readonly outcome: ToolOutcome }
  | { readonly type: "source"; readonly source: Source }
  | { readonly type: "step-end"; readonly step: Step }

/** Tells of an event at once. What it returns is to be waited for before the next one: somebody is behind. */
export type Emit<Event = AgentEvent> = (event: Event) => Effect.Effect<void> | undefined
