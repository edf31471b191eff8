import type { Chunk, Quote, StepFacts } from "./UiStream.ts"

/*
 * How a reply came about, as its stream told it. Times are in milliseconds since the request was sent, by the clock of
 * the browser.
 */

/** A call of a tool. */
export interface ToolRun {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** When the model had written the call, from which on it ran. */
  readonly start: number
  /** Undefined while it runs. */
  readonly end: number | undefined
  readonly output: unknown
  /** Why it failed; undefined when it did not. */
  readonly error: string | undefined
}

/** A call of the model, with the tools that it asked for. */
export interface TracedStep {
  /** False for what the server said without a model, such as that it asks for an e-mail address. */
  readonly isModelCall: boolean
  /** When the model was asked: at the end of the step before, or when the request was sent. */
  readonly start: number
  /** When its answer began. */
  readonly begun: number
  /** When the last of its answer was there. */
  readonly written: number
  /** When its tools were done too; undefined while it goes on. */
  readonly end: number | undefined
  readonly text: string
  readonly tools: ReadonlyArray<ToolRun>
  readonly facts: StepFacts | undefined
}

/** - `waiting`: nothing came yet. - `stopped`: the person stopped it. */
export type TraceState = "waiting" | "running" | "finished" | "failed" | "stopped"

/** A reply with the steps that led to it. */
export interface Trace {
  readonly state: TraceState
  readonly messageId: string | undefined
  readonly sessionId: string | undefined
  readonly steps: ReadonlyArray<TracedStep>
  readonly quotes: ReadonlyArray<Quote>
  readonly finishReason: string | undefined
  readonly error: string | undefined
  /** When the last event came. */
  readonly latest: number
}

export const newTrace: Trace = {
  state: "waiting",
  messageId: undefined,
  sessionId: undefined,
  steps: [],
  quotes: [],
  finishReason: undefined,
  error: undefined,
  latest: 0,
}

const withLast = (trace: Trace, change: (step: TracedStep) => Partial<TracedStep>): Trace => {
  const last = trace.steps.at(-1)
  return last === undefined ? trace : { ...trace, steps: [...trace.steps.slice(0, -1), { ...last, ...change(last) }] }
}

const withTool = (trace: Trace, id: string, change: Partial<ToolRun>): Trace =>
  withLast(trace, ({ tools }) => ({ tools: tools.map((run) => (run.id === id ? { ...run, ...change } : run)) }))

const withStep = (trace: Trace, at: number, isModelCall: boolean): Trace => ({
  ...trace,
  steps: [
    ...trace.steps,
    {
      isModelCall,
      start: trace.steps.at(-1)?.end ?? 0,
      begun: at,
      written: at,
      end: undefined,
      text: "",
      tools: [],
      facts: undefined,
    },
  ],
})

/** A reply that the server makes without a model has texts and no steps. */
const inStep = (trace: Trace, at: number): Trace =>
  trace.steps.at(-1) === undefined || trace.steps.at(-1)?.end !== undefined ? withStep(trace, at, false) : trace

const changed = (trace: Trace, chunk: Chunk, at: number): Trace => {
  switch (chunk.type) {
    case "start":
      return { ...trace, messageId: chunk.messageId, sessionId: chunk.sessionId }
    case "step-start":
      return withStep(trace, at, true)
    case "text":
      return withLast(inStep(trace, at), ({ text }) => ({ text: text + chunk.delta, written: at }))
    case "tool-start":
      return withLast(inStep(trace, at), () => ({ written: at }))
    case "tool-input": {
      const run = { id: chunk.id, name: chunk.name, input: chunk.input, start: at, end: undefined }
      return withLast(inStep(trace, at), ({ tools }) => ({
        written: at,
        tools: [...tools, { ...run, output: undefined, error: undefined }],
      }))
    }
    case "tool-output":
      return withTool(trace, chunk.id, { end: at, output: chunk.output })
    case "tool-error":
      return withTool(trace, chunk.id, { end: at, error: chunk.message })
    case "quote":
      return { ...trace, quotes: [...trace.quotes, chunk.quote] }
    case "step-facts":
      return withLast(trace, () => ({ facts: chunk.facts }))
    case "step-end":
      return withLast(trace, () => ({ end: at }))
    case "finish":
      return { ...ended(trace, "finished", at), finishReason: chunk.reason }
    case "error":
      return { ...ended(trace, "failed", at), error: chunk.message }
  }
}

/** The trace after an event that came so many milliseconds after the request was sent. */
export const advance = (trace: Trace, chunk: Chunk, at: number): Trace =>
  changed({ ...trace, state: trace.state === "waiting" ? "running" : trace.state, latest: at }, chunk, at)

/** The trace of a reply that has ended, with everything ended that was going on. */
export const ended = (trace: Trace, state: "finished" | "failed" | "stopped", at: number): Trace => ({
  ...trace,
  state,
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
  steps.reduce((whole, { text }, index) => {
    const isContinued = steps[index - 1]?.tools.length === 0
    return whole === "" || text === "" || isContinued ? whole + text : `${whole}\n\n${text}`
  }, "")

/** The tokens of a reply, of all its steps that have told theirs. */
export const tokensOf = ({ steps }: Trace) =>
  steps.reduce(
    (sum, { facts }) => ({
      input: sum.input + (facts?.promptTokens ?? 0) + (facts?.cacheReadTokens ?? 0) + (facts?.cacheWriteTokens ?? 0),
      cached: sum.cached + (facts?.cacheReadTokens ?? 0),
      output: sum.output + (facts?.completionTokens ?? 0),
    }),
    { input: 0, cached: 0, output: 0 },
  )
