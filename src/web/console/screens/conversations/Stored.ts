import { fieldsIn, isFields, textIn } from "../../server/Unknown.ts"
import { type FoundPassage, passageOf } from "../playground/Passages.tsx"

/*
 * Things that are stored with a reply beside its text, whose form the API leaves open.
 */

/** A call of a tool with what came of it. */
interface StoredResult {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly output: unknown
  /** The reason of its failure; undefined when it has not failed. */
  readonly error: string | undefined
}

/** The results of the tools that were called for a reply. */
export const resultsIn = (stored: ReadonlyArray<unknown> | null): ReadonlyArray<StoredResult> =>
  (stored ?? []).filter(isFields).map(({ args, result, toolCallId, toolName }, index) => {
    const error = textIn(fieldsIn(result)["error"])
    return { id: `${index} ${String(toolCallId)}`, name: textIn(toolName) ?? "", input: args, output: result, error }
  })

/** The quotes on which a reply rests, where they are stored with it. */
export const sourcesIn = (message: object): ReadonlyArray<FoundPassage> => {
  const sources = "sources" in message && Array.isArray(message.sources) ? message.sources : []
  return sources.filter(isFields).map(passageOf)
}
