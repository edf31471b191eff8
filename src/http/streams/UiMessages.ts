import type { FinishReason, UIMessageChunk } from "ai"
import type { Step } from "../../domain/chat/Chat.ts"
import type { Unsupported } from "../../domain/chat/Grounding.ts"
import type { WrittenBy } from "../../domain/chat/WrittenBy.ts"
import type { Failure } from "../../domain/Errors.ts"
import type { Explanation, Occurrence } from "../../domain/Failure.ts"
import type { ChatAnswer, ChatEvent } from "../../services/conversations/ChatAnswer.ts"
import { dataEvent, DONE_EVENT } from "./EventStream.ts"
import type { Protocol } from "./Streaming.ts"

const finishReasons: ReadonlySet<string> = new Set<FinishReason>([
  "stop",
  "length",
  "content-filter",
  "tool-calls",
  "error",
])

const isFinishReason = (reason: string): reason is FinishReason => finishReasons.has(reason)

/** The media type of sources: quotes are of the plain text that was extracted from a document. */
const SOURCE_MEDIA_TYPE = "text/plain"

/** A step as a stream has it: each would repeat the messages of those before it. */
type StreamedStep = Omit<Step, "response"> & { readonly response: Omit<Step["response"], "messages"> }

const streamed = ({ response: { messages: _, ...response }, ...step }: Step): StreamedStep => ({ ...step, response })

/** Data that a stream has beside the parts of the protocol. */
type Data = {
  readonly step: StreamedStep
  readonly unsupported: ReadonlyArray<Unsupported>
  readonly handover: { readonly owner: "people" }
  readonly explanation: Explanation
}

/** Metadata of a message: of its beginning, and of its end. */
type Metadata = { readonly session_id: string } | { readonly written_by: WrittenBy }

type Chunk = UIMessageChunk<Metadata, Data>

const chunk = (value: Chunk): string => dataEvent(value)

/**
 * The encoder of the AI SDK's UI message stream, version 1 (ai-sdk.dev, "UI message stream protocol"). When a reply is
 * cut off, it ends the open texts, tool calls and step, so that no client waits for an end that never comes.
 */
export class UiMessages implements Protocol<Pick<ChatAnswer, "finish_reason" | "written_by">> {
  readonly headers = { "x-vercel-ai-ui-message-stream": "v1" }
  private readonly showStep: ((step: Step) => Step) | undefined
  /** The chunk `start`, until it is sent. */
  private start = ""
  private inStep = false
  /** The ids of texts that have begun and not ended. */
  private readonly texts = new Set<string>()
  /** The ids of tool calls without a result. */
  private readonly calls = new Set<string>()
  /** The number of quotes of each passage. */
  private readonly quotes = new Map<string, number>()

  /** The stream has every step as `showStep` returns it, or no steps where that is undefined. */
  constructor(showStep?: (step: Step) => Step) {
    this.showStep = showStep
  }

  event(event: ChatEvent): string {
    if (event.type === "start") {
      // Sent with the next chunk: until then the reply can still fail with a status of its own.
      this.start = chunk({
        type: "start",
        messageId: event.message_id,
        messageMetadata: { session_id: event.session_id },
      })
      return ""
    }
    return this.begun(this.encode(event))
  }

  /** Chunks that come after the beginning of the message, if it has begun. */
  protected begun(text: string): string {
    const start = this.start
    this.start = ""
    return start + text
  }

  finished({ finish_reason, written_by }: Pick<ChatAnswer, "finish_reason" | "written_by">): string {
    const finishReason = isFinishReason(finish_reason) ? finish_reason : "other"
    return this.end(
      chunk({ type: "finish", finishReason, ...(written_by !== undefined && { messageMetadata: { written_by } }) }),
    )
  }

  failed(failure: Failure): string {
    const { detail, explanation }: Occurrence = failure
    const explained =
      explanation === undefined ? "" : chunk({ type: "data-explanation", data: explanation, transient: true })
    return this.cutOff(detail, explained + chunk({ type: "error", errorText: detail }))
  }

  aborted(reason: string): string {
    return this.cutOff(reason, chunk({ type: "abort", reason }))
  }

  private encode(event: Exclude<ChatEvent, { readonly type: "start" }>): string {
    switch (event.type) {
      case "step-start":
        this.inStep = true
        return chunk({ type: "start-step" })
      case "text-start":
        this.texts.add(event.id)
        return chunk({ type: event.type, id: event.id })
      case "text-delta":
        return chunk({ type: event.type, id: event.id, delta: event.delta })
      case "text-end":
        this.texts.delete(event.id)
        return chunk({ type: event.type, id: event.id })
      case "tool-start":
        this.calls.add(event.toolCallId)
        return chunk({
          type: "tool-input-start",
          toolCallId: event.toolCallId,
          toolName: event.toolName,
          dynamic: true,
        })
      case "tool-call": {
        const { toolCallId, toolName, args } = event.call
        return chunk({ type: "tool-input-available", toolCallId, toolName, input: args, dynamic: true })
      }
      case "tool-outcome": {
        const { toolCallId } = event.call
        this.calls.delete(toolCallId)
        const { isFailure, result } = event.outcome
        return isFailure
          ? chunk({ type: "tool-output-error", toolCallId, errorText: errorTextOf(result), dynamic: true })
          : chunk({ type: "tool-output-available", toolCallId, output: result, dynamic: true })
      }
      case "source": {
        const { document_id, title, chunk: number, page, quote, url } = event.source
        const source = {
          sourceId: this.sourceId(`${document_id}#${number}`),
          title,
          providerMetadata: { parley: { document_id, chunk: number, page, quote } },
        }
        return url === undefined
          ? chunk({ type: "source-document", mediaType: SOURCE_MEDIA_TYPE, ...source })
          : chunk({ type: "source-url", url, ...source })
      }
      case "handover":
        return chunk({ type: "data-handover", data: { owner: "people" } })
      case "unsupported":
        return chunk({ type: "data-unsupported", data: event.sentences })
      case "step-end":
        this.inStep = false
        return this.stepData(event.step) + chunk({ type: "finish-step" })
    }
  }

  private stepData(step: Step): string {
    if (this.showStep === undefined) return ""
    return chunk({ type: "data-step", data: streamed(this.showStep(step)), transient: true })
  }

  /** A unique id for a quote. Clients use it as a key, and one passage may be quoted more than once. */
  private sourceId(passage: string): string {
    const count = (this.quotes.get(passage) ?? 0) + 1
    this.quotes.set(passage, count)
    return count === 1 ? passage : `${passage}#${count}`
  }

  private cutOff(reason: string, last: string): string {
    const texts = Array.from(this.texts, (id) => chunk({ type: "text-end", id }))
    const calls = Array.from(this.calls, (toolCallId) =>
      chunk({ type: "tool-output-error", toolCallId, errorText: reason, dynamic: true }),
    )
    return this.end([...texts, ...calls, this.inStep ? chunk({ type: "finish-step" }) : "", last].join(""))
  }

  private end(last: string): string {
    return this.start + last + DONE_EVENT
  }
}

const errorTextOf = (result: unknown): string =>
  typeof result === "object" && result !== null && "error" in result ? String(result.error) : JSON.stringify(result)
