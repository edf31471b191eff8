/*
 * The UI message stream of the AI SDK, as far as the playground shows it.
 */

/** What a step of a reply tells beside its text and tools, as `data-step` holds it. */
export interface StepFacts {
  readonly model: string
  readonly finishReason: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** The body of the request to the model's API; empty for a key that may not see it. */
  readonly request: string
  readonly warnings: ReadonlyArray<string>
}

/** A quote on which a reply rests. */
export interface Quote {
  readonly id: string
  readonly title: string
  readonly documentId: string
  readonly chunk: number | undefined
  readonly page: number | undefined
  readonly text: string
}

/** An event of the stream. Those that the playground does not know are left out. */
export type Chunk =
  | { readonly type: "start"; readonly messageId: string; readonly sessionId: string }
  | { readonly type: "step-start" }
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "tool-start"; readonly id: string; readonly name: string }
  | { readonly type: "tool-input"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "tool-output"; readonly id: string; readonly output: unknown }
  | { readonly type: "tool-error"; readonly id: string; readonly message: string }
  | { readonly type: "quote"; readonly quote: Quote }
  | { readonly type: "step-facts"; readonly facts: StepFacts }
  | { readonly type: "step-end" }
  | { readonly type: "finish"; readonly reason: string }
  | { readonly type: "error"; readonly message: string }

type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
const text = (value: unknown): string => (typeof value === "string" ? value : "")
const number = (value: unknown): number => (typeof value === "number" ? value : 0)
const optional = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** The tokens that a provider counts apart, by whatever name it gives them. */
const cached = (metadata: unknown): Pick<StepFacts, "cacheReadTokens" | "cacheWriteTokens"> => {
  const anthropic = fields(fields(metadata)["anthropic"])
  const openai = fields(fields(metadata)["openai"])
  return {
    cacheReadTokens: number(anthropic["cacheReadInputTokens"]) || number(openai["cachedPromptTokens"]),
    cacheWriteTokens: number(anthropic["cacheCreationInputTokens"]),
  }
}

const factsOf = (step: Fields): StepFacts => {
  const usage = fields(step["usage"])
  const warnings = step["warnings"]
  return {
    model: text(fields(step["response"])["modelId"]),
    finishReason: text(step["finishReason"]),
    promptTokens: number(usage["promptTokens"]),
    completionTokens: number(usage["completionTokens"]),
    ...cached(step["experimental_providerMetadata"]),
    request: text(fields(step["request"])["body"]),
    warnings: Array.isArray(warnings)
      ? warnings.map((one) => text(fields(one)["message"]) || `Not supported: ${text(fields(one)["setting"])}`)
      : [],
  }
}

const quoteOf = (chunk: Fields): Quote => {
  const parley = fields(fields(chunk["providerMetadata"])["parley"])
  return {
    id: text(chunk["sourceId"]),
    title: text(chunk["title"]),
    documentId: text(parley["document_id"]),
    chunk: optional(parley["chunk"]),
    page: optional(parley["page"]),
    text: text(parley["quote"]),
  }
}

const chunkOf = (chunk: Fields): Chunk | undefined => {
  const id = text(chunk["toolCallId"])
  const name = text(chunk["toolName"])
  switch (chunk["type"]) {
    case "start":
      return {
        type: "start",
        messageId: text(chunk["messageId"]),
        sessionId: text(fields(chunk["messageMetadata"])["session_id"]),
      }
    case "start-step":
      return { type: "step-start" }
    case "text-delta":
      return { type: "text", delta: text(chunk["delta"]) }
    case "tool-input-start":
      return { type: "tool-start", id, name }
    case "tool-input-available":
      return { type: "tool-input", id, name, input: chunk["input"] }
    case "tool-output-available":
      return { type: "tool-output", id, output: chunk["output"] }
    case "tool-output-error":
      return { type: "tool-error", id, message: text(chunk["errorText"]) }
    case "source-document":
      return { type: "quote", quote: quoteOf(chunk) }
    case "data-step":
      return { type: "step-facts", facts: factsOf(fields(chunk["data"])) }
    case "finish-step":
      return { type: "step-end" }
    case "finish":
      return { type: "finish", reason: text(chunk["finishReason"]) }
    case "error":
      return { type: "error", message: text(chunk["errorText"]) }
    case "abort":
      return { type: "error", message: text(chunk["reason"]) || "The server stopped the reply." }
    default:
      return undefined
  }
}

const parse = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/** Reads the events out of a stream that comes in pieces, which may end anywhere. */
export class ChunkReader {
  #rest = ""

  add(piece: string): ReadonlyArray<Chunk> {
    const frames = (this.#rest + piece).split("\n\n")
    this.#rest = frames.pop() ?? ""
    return frames.flatMap((frame) => {
      if (!frame.startsWith("data: ")) return []
      const chunk = chunkOf(fields(parse(frame.slice("data: ".length))))
      return chunk === undefined ? [] : [chunk]
    })
  }
}
