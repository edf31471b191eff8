import type { Completion } from "../../api/OpenAi.ts"
import { openAiForm } from "../../api/OpenAiError.ts"
import type { FinishReason } from "../../domain/chat/Chat.ts"
import { declarationOf, type Failure, Unavailable } from "../../domain/Errors.ts"
import type { ChatAnswer, ChatEvent } from "../../services/ChatAnswer.ts"
import type { Protocol } from "./Streaming.ts"

/** What a client of OpenAI asked for. */
export interface Asked {
  /** As the client named it. */
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
  readonly includeUsage: boolean
}

const idOf = (message: string) => `chatcmpl-${message}`

/** Its clients know no others. */
const finishReasonOf = (reason: FinishReason) =>
  reason === "length" ? "length" : reason === "content-filter" ? "content_filter" : "stop"

/** There tokens of the prompt include those of the cache. */
const usageOf = ({ tokens: { input, output, cacheRead, cacheWrite } }: ChatAnswer): Completion["usage"] => {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  }
}

/** An answer as `chat.completion`. */
export const completion = (answer: ChatAnswer, { created, model }: Asked): Completion => ({
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

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const done = "data: [DONE]\n\n"

/** An answer as a stream of `chat.completion.chunk`. Of what it does, such clients are told the text only. */
export class CompletionChunks implements Protocol {
  readonly headers = {}
  readonly #asked: Asked
  #id = ""
  #hasBegun = false
  /** What goes before the next text: what the model says in one step is a paragraph of its own. */
  #gap = ""
  #hasText = false

  constructor(asked: Asked) {
    this.#asked = asked
  }

  event(event: ChatEvent): string {
    switch (event.type) {
      case "start":
        this.#id = idOf(event.message_id)
        return ""
      case "step-end":
        if (!event.step.isContinued && this.#hasText) this.#gap = "\n\n"
        return ""
      case "text-delta": {
        const content = this.#gap + event.delta
        this.#gap = ""
        this.#hasText = true
        return this.#begin() + this.#choice({ content }, null)
      }
      default:
        return this.#begin()
    }
  }

  finished(answer: ChatAnswer): string {
    const last = this.#begin() + this.#choice({}, finishReasonOf(answer.finish_reason))
    const usage = this.#asked.includeUsage ? this.#chunk({ choices: [], usage: usageOf(answer) }) : ""
    return last + usage + done
  }

  failed(failure: Failure): string {
    return data(openAiForm.encode(declarationOf(failure), failure, "")) + done
  }

  aborted(reason: string): string {
    return this.failed(new Unavailable({ detail: reason, retry_after_seconds: 1 }))
  }

  #begin(): string {
    if (this.#hasBegun) return ""
    this.#hasBegun = true
    return this.#choice({ role: "assistant", content: "" }, null)
  }

  #choice(delta: Delta, finish_reason: string | null): string {
    return this.#chunk({
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      // Where usage is asked for, every chunk has the field.
      ...(this.#asked.includeUsage && { usage: null }),
    })
  }

  #chunk(rest: object): string {
    const { created, model } = this.#asked
    return data({ id: this.#id, object: "chat.completion.chunk", created, model, ...rest })
  }
}
