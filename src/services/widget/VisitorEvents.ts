import { listDocuments, searchKnowledgeBase } from "../../models/ToolDeclaration.ts"
import type { Citation, ToolCall } from "../../domain/chat/Chat.ts"
import type { WidgetEvent, WidgetSource } from "../../domain/widget/Widget.ts"
import { type ChatEvent, STEP_GAP } from "../conversations/ChatAnswer.ts"

/** The source of a reply as its visitor sees it: the document's own id is none of its business. */
export const widgetSource = ({ page, quote, title, url }: Citation, index: number): WidgetSource => ({
  index,
  title,
  page,
  quote,
  ...(url === undefined ? {} : { url }),
})

/**
 * Translates the events of a chat into those that its visitor sees. What tools return is not among them. The texts of
 * all events together are the text that is stored.
 */
export class VisitorEvents {
  /** Beginning of the next text: a blank line after a step, so that each step is a paragraph. */
  private gap = ""
  private hasText = false
  private sources = 0

  /** The event that the visitor sees; undefined for one that it does not. */
  of(event: ChatEvent): WidgetEvent | undefined {
    switch (event.type) {
      case "start":
        return { type: "start", conversation_id: event.session_id, message_id: event.message_id }
      case "text-delta": {
        const text = this.gap + event.delta
        this.gap = ""
        this.hasText = true
        return { type: "text", text }
      }
      case "step-end":
        if (!event.step.isContinued && this.hasText) this.gap = STEP_GAP
        return undefined
      case "tool-call":
        return toolEvent(event.call)
      case "source":
        return { type: "source", ...widgetSource(event.source, this.sources++) }
      case "handover":
        return event
      case "unsupported":
        return { type: "unsupported", sentences: event.sentences.map(({ sentence }) => sentence) }
      default:
        return undefined
    }
  }
}

const toolEvent = ({ args, toolName }: ToolCall): WidgetEvent => {
  if (toolName === listDocuments.name) return { type: "tool", tool: "documents" }
  if (toolName !== searchKnowledgeBase.name) return { type: "tool", tool: "other" }
  const query = queryIn(args)
  return { type: "tool", tool: "search", ...(query !== undefined && { query }) }
}

const queryIn = (args: ToolCall["args"]): string | undefined =>
  typeof args === "object" && args !== null && "query" in args && typeof args.query === "string"
    ? args.query
    : undefined
