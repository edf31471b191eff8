import type { Completion } from "../../api/OpenAi.ts"
import { openAiForm } from "../../api/failures/OpenAiError.ts"
import type { FinishReason } from "../../domain/chat/Chat.ts"
import { declarationOf, type Failure, Unavailable } from "../../domain/Errors.ts"
import { type ChatAnswer, type ChatEvent, STEP_GAP } from "../../services/conversations/ChatAnswer.ts"
import { dataEvent, DONE_EVENT } from "./EventStream.ts"
import type { Protocol } from "./Streaming.ts"

/** Properties of the request that a completion repeats or depends on. */
export interface CompletionOptions {
  /** The chatbot as the client has named it. */
  readonly model: string
  /** The time at which the request arrived, in seconds since 1970. */
  readonly created: number
  /** Whether a stream ends with a chunk that has the tokens used. */
  readonly includeUsage: boolean
}

const idOf = (message: string) => `chatcmpl-${message}`

/** The finish reason in OpenAI's words. Its clients know no others than these. */
const finishReasonOf = (reason: FinishReason) =>
  reason === "length" ? "length" : reason === "content-filter" ? "content_filter" : "stop"

/** The tokens of a reply as OpenAI counts them: its prompt tokens include those read from and written to the cache. */
const usageOf = ({ tokens: { input, output, cacheRead, cacheWrite } }: ChatAnswer): Completion["usage"] => {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  }
}

/** An answer as OpenAI's `chat.completion`. */
export const completion = (answer: ChatAnswer, { created, model }: CompletionOptions): Completion => ({
  id: idOf(answer.message_id),
  object: "chat.completion",
  created,
  model,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: answer.output, refusal: null },
      logprobs: null,
      finish_reason: finishReasonOf(answer.finish_reason),
    },
  ],
  usage: usageOf(answer),
})

interface Delta {
  readonly role?: "assistant"
  readonly content?: string
}

/** An answer as a stream of OpenAI's `chat.completion.chunk`, which have its text, but no tools and no sources. */
export class CompletionChunks implements Protocol {
  readonly headers = {}
  private readonly options: CompletionOptions
  private id = ""
  private hasBegun = false
  /** The text before the next delta: a blank line between the steps of an answer, so that each is a paragraph. */
  private gap = ""
  private hasText = false

  constructor(options: CompletionOptions) {
    this.options = options
  }

  event(event: ChatEvent): string {
    switch (event.type) {
      case "start":
        this.id = idOf(event.message_id)
        return ""
      case "step-end":
        if (!event.step.isContinued && this.hasText) this.gap = STEP_GAP
        return ""
      case "text-delta": {
        const content = this.gap + event.delta
        this.gap = ""
        this.hasText = true
        return this.begin() + this.choice({ content }, null)
      }
      default:
        return this.begin()
    }
  }

  finished(answer: ChatAnswer): string {
    const last = this.begin() + this.choice({}, finishReasonOf(answer.finish_reason))
    const usage = this.options.includeUsage ? this.chunk({ choices: [], usage: usageOf(answer) }) : ""
    return last + usage + DONE_EVENT
  }

  failed(failure: Failure): string {
    return dataEvent(openAiForm.encode(declarationOf(failure), failure, "")) + DONE_EVENT
  }

  aborted(reason: string): string {
    return this.failed(new Unavailable({ detail: reason, retry_after_seconds: 1 }))
  }

  private begin(): string {
    if (this.hasBegun) return ""
    this.hasBegun = true
    return this.choice({ role: "assistant", content: "" }, null)
  }

  private choice(delta: Delta, finish_reason: string | null): string {
    return this.chunk({
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      // With `include_usage`, every chunk has the field.
      ...(this.options.includeUsage && { usage: null }),
    })
  }

  private chunk(rest: object): string {
    const { created, model } = this.options
    return dataEvent({ id: this.id, object: "chat.completion.chunk", created, model, ...rest })
  }
}
