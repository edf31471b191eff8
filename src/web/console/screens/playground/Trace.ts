import { type Explanation, explanationIn } from "../../server/Failure.ts"
import { type Fields, fieldsIn, numberIn, textIn } from "../../server/Unknown.ts"
import { type FoundPassage, passageOf } from "./Passages.tsx"

/*
 * The steps of a reply, as its stream tells: the UI messages of the AI SDK, as far as the playground shows them. Times
 * are in milliseconds since the request was sent, by the clock of the browser.
 */

const text = (value: unknown): string => textIn(value) ?? ""
const number = (value: unknown): number => numberIn(value) ?? 0

/** The facts about a step beside its text and tools, as `data-step` holds them. */
const factsOf = (step: Fields) => {
  const usage = fieldsIn(step["usage"])
  const metadata = fieldsIn(step["experimental_providerMetadata"])
  const anthropic = fieldsIn(metadata["anthropic"])
  const warnings = step["warnings"]
  return {
    model: text(fieldsIn(step["response"])["modelId"]),
    finishReason: text(step["finishReason"]),
    promptTokens: number(usage["promptTokens"]),
    completionTokens: number(usage["completionTokens"]),
    // Providers count them by names of their own.
    cacheReadTokens:
      number(anthropic["cacheReadInputTokens"]) || number(fieldsIn(metadata["openai"])["cachedPromptTokens"]),
    cacheWriteTokens: number(anthropic["cacheCreationInputTokens"]),
    /** The body of the request to the model's API; empty for a key that may not see it. */
    request: text(fieldsIn(step["request"])["body"]),
    warnings: Array.isArray(warnings)
      ? warnings
          .map(fieldsIn)
          .map(({ details, message, setting }) =>
            [text(message) || `Not supported: ${text(setting)}`, text(details)].filter(Boolean).join(" "),
          )
      : [],
  }
}

export type StepFacts = ReturnType<typeof factsOf>

const quoteOf = ({ providerMetadata, title, url }: Fields): FoundPassage =>
  passageOf({ title, url, ...fieldsIn(fieldsIn(providerMetadata)["parley"]) })

export interface ModelCall {
  readonly kind: "model"
  readonly key: string
  readonly number: number
  /** Time at which the model was asked: at the end of the step before, or when the request was sent. */
  readonly start: number
  readonly begun: number
  /** Time at which the last of the answer was there; undefined while it is written. */
  readonly end: number | undefined
  readonly text: string
  readonly facts: StepFacts | undefined
}

/** A call of a tool, which runs from when the model has written it. */
export interface ToolRun {
  readonly kind: "tool"
  readonly key: string
  readonly name: string
  readonly input: unknown
  readonly start: number
  readonly end: number | undefined
  readonly output: unknown
  /** The reason of its failure; undefined when it has not failed. */
  readonly error: string | undefined
}

/** A row of a waterfall, whose bar stands from `start` to `end`. */
export type Row = ModelCall | ToolRun

/** A reply with the calls that led to it, each tool after the call of the model that asked for it. */
export interface Trace {
  /** - `waiting`: nothing came yet. - `stopped`: the person stopped it. */
  readonly state: "waiting" | "running" | "finished" | "failed" | "stopped"
  readonly sessionId?: string
  /** The id of the stored reply. */
  readonly messageId?: string | undefined
  readonly rows: ReadonlyArray<Row>
  /** The text of the reply, which only ever grows at its end. */
  readonly text: string
  readonly firstText?: number
  readonly quotes: ReadonlyArray<FoundPassage>
  /** The sentences of the text that no passage supports. */
  readonly unsupported: ReadonlyArray<string>
  readonly error?: string | undefined
  /** Why the model did not answer. */
  readonly explanation?: Explanation | undefined
  /** What was understood of a spoken question; undefined for one that was written. */
  readonly transcript?: string
  /** The server's times of a spoken turn, in milliseconds by their names; empty for a written one. */
  readonly timings: Fields
  readonly stepEnd: number
  readonly latest: number
}

export const newTrace: Trace = {
  state: "waiting",
  rows: [],
  text: "",
  quotes: [],
  unsupported: [],
  timings: {},
  stepEnd: 0,
  latest: 0,
}

export const modelCallsOf = ({ rows }: Trace): ReadonlyArray<ModelCall> => rows.filter((row) => row.kind === "model")

const withCall = (trace: Trace, change: (call: ModelCall) => Partial<ModelCall>): Trace => {
  const last = modelCallsOf(trace).at(-1)
  return { ...trace, rows: trace.rows.map((row) => (row === last ? { ...row, ...change(row) } : row)) }
}

const withTool = (trace: Trace, key: string, change: Partial<ToolRun>): Trace => ({
  ...trace,
  rows: trace.rows.map((row) => (row.kind === "tool" && row.key === key ? { ...row, ...change } : row)),
})

/** The text goes on in a new paragraph after tools were called, and else in the middle of where it was. */
const withText = (trace: Trace, delta: string, at: number): Trace => {
  const last = trace.rows.at(-1)
  const isAfterTools = last?.kind === "model" && last.text === "" && trace.rows.at(-2)?.kind === "tool"
  const text = trace.text + (isAfterTools && trace.text !== "" && delta !== "" ? "\n\n" : "") + delta
  return { ...withCall(trace, (call) => ({ text: call.text + delta })), text, firstText: trace.firstText ?? at }
}

const changed = (trace: Trace, event: Fields, at: number): Trace => {
  const key = text(event["toolCallId"])
  switch (event["type"]) {
    case "start":
      return {
        ...trace,
        sessionId: text(fieldsIn(event["messageMetadata"])["session_id"]),
        messageId: textIn(event["messageId"]),
      }
    case "start-step": {
      const number = modelCallsOf(trace).length + 1
      const times = { start: trace.stepEnd, begun: at, end: undefined }
      const call = { kind: "model", key: `model-${number}`, number, ...times, text: "", facts: undefined } as const
      return { ...trace, rows: [...trace.rows, call] }
    }
    case "text-delta":
      return withText(trace, text(event["delta"]), at)
    case "tool-input-available": {
      const call = { kind: "tool", key, name: text(event["toolName"]), input: event["input"] } as const
      const run = { ...call, start: at, end: undefined, output: undefined, error: undefined }
      const written = withCall(trace, () => ({ end: at }))
      return { ...written, rows: [...written.rows, run] }
    }
    case "tool-output-available":
      return withTool(trace, key, { end: at, output: event["output"] })
    case "tool-output-error":
      return withTool(trace, key, { end: at, error: text(event["errorText"]) })
    case "source-document":
    case "source-url":
      return { ...trace, quotes: [...trace.quotes, quoteOf(event)] }
    case "data-unsupported": {
      const sentences = Array.isArray(event["data"]) ? event["data"] : []
      return { ...trace, unsupported: sentences.map((each) => text(fieldsIn(each)["sentence"])) }
    }
    case "data-transcript":
      return { ...trace, transcript: text(fieldsIn(event["data"])["text"]) }
    case "data-timings":
      return { ...trace, timings: fieldsIn(event["data"]) }
    case "data-explanation":
      return { ...trace, explanation: explanationIn(event["data"]) }
    case "data-step":
      return withCall(trace, () => ({ facts: factsOf(fieldsIn(event["data"])) }))
    case "finish-step":
      return { ...withCall(trace, ({ end }) => ({ end: end ?? at })), stepEnd: at }
    case "finish":
      return ended(trace, "finished", at)
    case "error":
      return ended(trace, "failed", at, text(event["errorText"]))
    case "abort":
      return ended(trace, "failed", at, text(event["reason"]) || "The server stopped the reply.")
    default:
      return trace
  }
}

/** The trace after an event of the stream that came so many milliseconds after the request was sent. */
export const advance = (trace: Trace, event: unknown, at: number): Trace =>
  changed({ ...trace, state: trace.state === "waiting" ? "running" : trace.state, latest: at }, fieldsIn(event), at)

/** The trace of a reply that has ended, with everything ended that was going on. */
export const ended = (
  trace: Trace,
  state: "finished" | "failed" | "stopped",
  at: number,
  error?: string | undefined,
): Trace => ({
  ...trace,
  state,
  error,
  latest: at,
  rows: trace.rows.map((row) => {
    if (row.end !== undefined) return row
    return row.kind === "tool" ? { ...row, end: at, error: "Not finished." } : { ...row, end: at }
  }),
})

export const isGoingOn = ({ state }: Trace): boolean => state === "waiting" || state === "running"

/** The tokens of a reply, of all its steps that have facts. */
export const tokensOf = (trace: Trace) =>
  modelCallsOf(trace).reduce(
    (sum, { facts }) => ({
      input: sum.input + (facts?.promptTokens ?? 0) + (facts?.cacheReadTokens ?? 0) + (facts?.cacheWriteTokens ?? 0),
      cached: sum.cached + (facts?.cacheReadTokens ?? 0),
      output: sum.output + (facts?.completionTokens ?? 0),
    }),
    { input: 0, cached: 0, output: 0 },
  )
