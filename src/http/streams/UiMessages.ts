import type { FinishReason, UIMessageChunk } from "ai"
import type { Failure } from "../../domain/Errors.ts"
import type { ChatAnswer, ChatEvent } from "../../services/ChatAnswer.ts"
import type { Protocol } from "./Streaming.ts"

/** The reasons that the protocol has a word for. */
const finishReasons: ReadonlySet<string> = new Set<FinishReason>([
  "stop",
  "length",
  "content-filter",
  "tool-calls",
  "error",
])

const isFinishReason = (reason: string): reason is FinishReason => finishReasons.has(reason)

/** Documents become text when they are read; the text is what is quoted. */
const SOURCE_MEDIA_TYPE = "text/plain"

const chunk = (value: UIMessageChunk<{ readonly session_id: string }>): string => `data: ${JSON.stringify(value)}\n\n`

const done = "data: [DONE]\n\n"

/**
 * The AI SDK's UI message stream, version 1 (ai-sdk.dev, "UI message stream protocol"). Whatever has begun is ended
 * also when the reply is cut off, so that no client waits for a text or a tool that never ends.
 */
export class UiMessages implements Protocol {
  readonly headers = { "x-vercel-ai-ui-message-stream": "v1" }
  #start = ""
  #inStep = false
  readonly #texts = new Set<string>()
  readonly #calls = new Set<string>()
  /** How often each passage was quoted. */
  readonly #quotes = new Map<string, number>()

  event(event: ChatEvent): string {
    if (event.type === "start") {
      // Goes with what comes next: until then the reply may still fail with a status.
      this.#start = chunk({
        type: "start",
        messageId: event.message_id,
        messageMetadata: { session_id: event.session_id },
      })
      return ""
    }
    const text = this.#tell(event)
    if (this.#start === "") return text
    const start = this.#start
    this.#start = ""
    return start + text
  }

  finished({ finish_reason }: ChatAnswer): string {
    return this.#end(chunk({ type: "finish", finishReason: isFinishReason(finish_reason) ? finish_reason : "other" }))
  }

  failed({ detail }: Failure): string {
    return this.#cut(detail, chunk({ type: "error", errorText: detail }))
  }

  aborted(reason: string): string {
    return this.#cut(reason, chunk({ type: "abort", reason }))
  }

  #tell(event: Exclude<ChatEvent, { readonly type: "start" }>): string {
    switch (event.type) {
      case "step-start":
        this.#inStep = true
        return chunk({ type: "start-step" })
      case "text-start":
        this.#texts.add(event.id)
        return chunk({ type: event.type, id: event.id })
      case "text-delta":
        return chunk({ type: event.type, id: event.id, delta: event.delta })
      case "text-end":
        this.#texts.delete(event.id)
        return chunk({ type: event.type, id: event.id })
      case "tool-start":
        this.#calls.add(event.toolCallId)
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
        this.#calls.delete(toolCallId)
        const { isFailure, result } = event.outcome
        return isFailure
          ? chunk({ type: "tool-output-error", toolCallId, errorText: errorTextOf(result), dynamic: true })
          : chunk({ type: "tool-output-available", toolCallId, output: result, dynamic: true })
      }
      case "source": {
        const { document_id, title, chunk: number, page, quote } = event.source
        return chunk({
          type: "source-document",
          sourceId: this.#sourceId(`${document_id}#${number}`),
          mediaType: SOURCE_MEDIA_TYPE,
          title,
          providerMetadata: { parley: { document_id, chunk: number, page, quote } },
        })
      }
      case "step-end":
        this.#inStep = false
        return chunk({ type: "finish-step" })
    }
  }

  /** Clients use it as a key, and a passage may be quoted more than once. */
  #sourceId(passage: string): string {
    const count = (this.#quotes.get(passage) ?? 0) + 1
    this.#quotes.set(passage, count)
    return count === 1 ? passage : `${passage}#${count}`
  }

  #cut(reason: string, last: string): string {
    const texts = Array.from(this.#texts, (id) => chunk({ type: "text-end", id }))
    const calls = Array.from(this.#calls, (toolCallId) =>
      chunk({ type: "tool-output-error", toolCallId, errorText: reason, dynamic: true }),
    )
    return this.#end([...texts, ...calls, this.#inStep ? chunk({ type: "finish-step" }) : "", last].join(""))
  }

  #end(last: string): string {
    return this.#start + last + done
  }
}

const errorTextOf = (result: unknown): string =>
  typeof result === "object" && result !== null && "error" in result ? String(result.error) : JSON.stringify(result)
