import type { FoundPassage } from "../playground/Passages.tsx"

/*
 * What is stored with a reply beside its text, whose form the API leaves open.
 */

/** A call of a tool with what came of it. */
export interface StoredResult {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly output: unknown
  /** Why it failed; undefined when it did not. */
  readonly error: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const text = (value: unknown): string => (typeof value === "string" ? value : "")
const whole = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** The results of the tools that were called for a reply. */
export const resultsIn = (stored: ReadonlyArray<unknown> | null): ReadonlyArray<StoredResult> =>
  (stored ?? []).filter(isFields).map(({ args, result, toolCallId, toolName }, index) => {
    const error = isFields(result) && typeof result["error"] === "string" ? result["error"] : undefined
    return { id: `${index} ${text(toolCallId)}`, name: text(toolName), input: args, output: result, error }
  })

/** The quotes on which a reply rests, where they are stored with it. */
export const sourcesIn = (message: object): ReadonlyArray<FoundPassage> => {
  const sources = "sources" in message && Array.isArray(message.sources) ? message.sources : []
  return sources.filter(isFields).map((source) => ({
    title: text(source["title"]),
    chunk: whole(source["chunk"]),
    section: whole(source["page"]) === undefined ? undefined : `page ${whole(source["page"])}`,
    content: text(source["quote"]),
    similarity: undefined,
    documentId: typeof source["document_id"] === "string" ? source["document_id"] : undefined,
  }))
}
