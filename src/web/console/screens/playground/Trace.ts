import { type Fields, fieldsIn, numberIn, textIn } from "../../server/Unknown.ts"

/*
 * The steps of a reply, as its stream tells: the UI messages of the AI SDK, as far as the playground shows them. Times
 * are in milliseconds since the request was sent, by the clock of the browser.
 */

const text = (value: unknown): string => textIn(value) ?? ""
const number = (value: unknown): number => numberIn(value) ?? 0

/** The facts about a step beside its text and tools, as `data-step` holds them. */
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

const factsOf = (step: Fields): StepFacts => {
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
    request: text(fieldsIn(step["request"])["body"]),
    warnings: Array.isArray(warnings)
      ? warnings.map((one) => text(fieldsIn(one)["message"]) || `Not supported: ${text(fieldsIn(one)["setting"])}`)
      : [],
  }
}

/** A quote on which a reply rests. */
export interface Quote {
  readonly title: string
  readonly documentId: string
  readonly chunk: number | undefined
  readonly page: number | undefined
  readonly text: string
}

const quoteOf = ({ providerMetadata, title }: Fields): Quote => {
  const parley = fieldsIn(fieldsIn(providerMetadata)["parley"])
  return {
    title: text(title),
    documentId: text(parley["document_id"]),
    chunk: numberIn(parley["chunk"]),
    page: numberIn(parley["page"]),
    text: text(parley["quote"]),
  }
}

/** A call of a tool. */
export interface ToolRun {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Time at which the model had written the call, from which on it ran. */
  readonly start: number
  /** Undefined while it runs. */
  readonly end: number | undefined
  readonly output: unknown
  /** The reason of its failure; undefined when it has not failed. */
  readonly error: string | undefined
}

/** A call of the model, with the tools that it asked for. */
export interface TracedStep {
  /** False for what the server said without a model, such as that it asks for an e-mail address. */
  readonly isModelCall: boolean
  /** Time at which the model was asked: at the end of the step before, or when the request was sent. */
  readonly start: number
  /** Time at which the answer of the model began. */
  readonly begun: number
  /** Time at which the last of the answer was there. */
  readonly written: number
  /** Time at which the tools of the step were done too; undefined while the step goes on. */
  readonly end: number | undefined
  readonly text: string
  readonly tools: ReadonlyArray<ToolRun>
  readonly facts: StepFacts | undefined
}

/** A reply with the steps that led to it. */
export interface Trace {
  /** - `waiting`: nothing came yet. - `stopped`: the person stopped it. */
  readonly state: "waiting" | "running" | "finished" | "failed" | "stopped"
  readonly sessionId: string | undefined
  readonly steps: ReadonlyArray<TracedStep>
  readonly quotes: ReadonlyArray<Quote>
  readonly error: string | undefined
  /** Time at which the last event came. */
  readonly latest: number
}

export const newTrace: Trace = {
  state: "waiting",
  sessionId: undefined,
  steps: [],
  quotes: [],
  error: undefined,
  latest: 0,
}

const withLast = (trace: Trace, change: (step: TracedStep) => Partial<TracedStep>): Trace => {
  const last = trace.steps.at(-1)
  return last === undefined ? trace : { ...trace, steps: [...trace.steps.slice(0, -1), { ...last, ...change(last) }] }
}

const withTool = (trace: Trace, id: string, change: Partial<ToolRun>): Trace =>
  withLast(trace, ({ tools }) => ({ tools: tools.map((run) => (run.id === id ? { ...run, ...change } : run)) }))

const withStep = (trace: Trace, at: number, isModelCall: boolean): Trace => {
  const start = trace.steps.at(-1)?.end ?? 0
  const step = { isModelCall, start, begun: at, written: at, end: undefined, text: "", tools: [], facts: undefined }
  return { ...trace, steps: [...trace.steps, step] }
}

/** A reply that the server makes without a model has texts and no steps. */
const inStep = (trace: Trace, at: number): Trace =>
  trace.steps.at(-1) === undefined || trace.steps.at(-1)?.end !== undefined ? withStep(trace, at, false) : trace

const changed = (trace: Trace, event: Fields, at: number): Trace => {
  const id = text(event["toolCallId"])
  switch (event["type"]) {
    case "start":
      return { ...trace, sessionId: text(fieldsIn(event["messageMetadata"])["session_id"]) }
    case "start-step":
      return withStep(trace, at, true)
    case "text-delta":
      return withLast(inStep(trace, at), (step) => ({ text: step.text + text(event["delta"]), written: at }))
    case "tool-input-start":
      return withLast(inStep(trace, at), () => ({ written: at }))
    case "tool-input-available": {
      const run = { id, name: text(event["toolName"]), input: event["input"], start: at, end: undefined }
      return withLast(inStep(trace, at), ({ tools }) => ({
        written: at,
        tools: [...tools, { ...run, output: undefined, error: undefined }],
      }))
    }
    case "tool-output-available":
      return withTool(trace, id, { end: at, output: event["output"] })
    case "tool-output-error":
      return withTool(trace, id, { end: at, error: text(event["errorText"]) })
    case "source-document":
      return { ...trace, quotes: [...trace.quotes, quoteOf(event)] }
    case "data-step":
      return withLast(trace, () => ({ facts: factsOf(fieldsIn(event["data"])) }))
    case "finish-step":
      return withLast(trace, () => ({ end: at }))
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
  steps: trace.steps.map((step) => ({
    ...step,
    end: step.end ?? at,
    tools: step.tools.map((run) =>
      run.end === undefined ? { ...run, end: at, error: run.error ?? "It was not finished." } : run,
    ),
  })),
})

/** Whether a reply is still being made. */
export const isGoingOn = ({ state }: Trace): boolean => state === "waiting" || state === "running"

/**
 * The text of a reply: a paragraph for each step that says something. After a step that has called no tool, the next one
 * goes on in the middle of its text. Text is only ever added at the end.
 */
export const textOf = ({ steps }: Trace): string =>
  steps.reduce((whole, step, index) => {
    const isContinued = steps[index - 1]?.tools.length === 0
    return whole === "" || step.text === "" || isContinued ? whole + step.text : `${whole}\n\n${step.text}`
  }, "")

/** The tokens of a reply, of all its steps that have facts. */
export const tokensOf = ({ steps }: Trace) =>
  steps.reduce(
    (sum, { facts }) => ({
      input: sum.input + (facts?.promptTokens ?? 0) + (facts?.cacheReadTokens ?? 0) + (facts?.cacheWriteTokens ?? 0),
      cached: sum.cached + (facts?.cacheReadTokens ?? 0),
      output: sum.output + (facts?.completionTokens ?? 0),
    }),
    { input: 0, cached: 0, output: 0 },
  )

/** A row of a waterfall: a call of the model or of a tool, whose bar stands from `start` to `end`. */
export interface Row {
  readonly key: string
  readonly start: number
  readonly end: number
  readonly what:
    | { readonly kind: "model"; readonly number: number; readonly step: TracedStep }
    | { readonly kind: "tool"; readonly run: ToolRun }
}

/** The rows of a reply, each tool below the call of the model that asked for it. What goes on ends at `now`. */
export const rowsOf = (trace: Trace, now: number): ReadonlyArray<Row> =>
  trace.steps.flatMap((step, index): ReadonlyArray<Row> => {
    const isWriting = isGoingOn(trace) && step.end === undefined && step.tools.length === 0
    const end = isWriting ? now : step.written
    const model: Row = {
      key: `model-${index}`,
      start: step.start,
      end,
      what: { kind: "model", number: index + 1, step },
    }
    const tools = step.tools.map((run): Row => ({
      key: run.id,
      start: run.start,
      end: run.end ?? now,
      what: { kind: "tool", run },
    }))
    return step.isModelCall ? [model, ...tools] : tools
  })

/** The whole time that a waterfall spans, in milliseconds; never zero. */
export const spanOf = (trace: Trace, now: number): number => Math.max(1, isGoingOn(trace) ? now : trace.latest)
