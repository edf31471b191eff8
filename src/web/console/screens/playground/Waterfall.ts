import { isGoingOn, type ToolRun, type Trace, type TracedStep } from "./Trace.ts"

/*
 * The rows of a waterfall: what took how long, and what led to what.
 */

/** A row, whose bar stands from `start` to `end` in milliseconds. */
export interface Row {
  readonly key: string
  readonly start: number
  readonly end: number
  /** Whether it still goes on, so that its end is that of the clock. */
  readonly isRunning: boolean
  readonly what:
    | { readonly kind: "model"; readonly number: number; readonly step: TracedStep }
    | { readonly kind: "tool"; readonly run: ToolRun }
}

/** The rows of a reply, each tool below the call of the model that asked for it. `now` is how long it took until now. */
export const rowsOf = (trace: Trace, now: number): ReadonlyArray<Row> => {
  const goesOn = isGoingOn(trace)
  return trace.steps.flatMap((step, index): ReadonlyArray<Row> => {
    const isWriting = goesOn && step.end === undefined && step.tools.length === 0
    const model: Row = {
      key: `model-${index}`,
      start: step.start,
      end: isWriting ? now : step.written,
      isRunning: isWriting,
      what: { kind: "model", number: index + 1, step },
    }
    const tools = step.tools.map((run): Row => ({
      key: run.id,
      start: run.start,
      end: run.end ?? now,
      isRunning: run.end === undefined,
      what: { kind: "tool", run },
    }))
    return step.isModelCall ? [model, ...tools] : tools
  })
}

/** The whole time that a waterfall spans, in milliseconds; never zero. */
export const spanOf = (trace: Trace, now: number): number => Math.max(1, isGoingOn(trace) ? now : trace.latest)

/** A passage that a search found. */
export interface FoundPassage {
  readonly title: string
  readonly chunk: number | undefined
  readonly section: string | undefined
  readonly content: string
  /** From 0 to 1; undefined where the search does not tell it. */
  readonly similarity: number | undefined
  readonly documentId: string | undefined
}

/** The tool by which models search the knowledge base. */
export const SEARCH_TOOL = "searchKnowledgeBase"

/** The passages in the result of a search; undefined for what is no such result. */
export const passagesIn = (toolName: string, output: unknown): ReadonlyArray<FoundPassage> | undefined => {
  if (toolName !== SEARCH_TOOL || !Array.isArray(output)) return undefined
  return output.flatMap((each: unknown) => {
    if (typeof each !== "object" || each === null) return []
    const field = (name: string): unknown => Object.entries(each).find(([key]) => key === name)?.[1]
    const textOf = (name: string) => (typeof field(name) === "string" ? String(field(name)) : undefined)
    const numberOf = (name: string) => (typeof field(name) === "number" ? Number(field(name)) : undefined)
    return [
      {
        title: textOf("title") ?? "",
        chunk: numberOf("chunk"),
        section: textOf("section"),
        content: textOf("content") ?? "",
        similarity: numberOf("similarity"),
        documentId: textOf("document_id"),
      },
    ]
  })
}

/** What was asked in a call of a tool, in few words: the only text of its input, or its input as JSON. */
export const briefly = (input: unknown): string => {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [input]
  const [only] = values
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(input ?? null)
}
