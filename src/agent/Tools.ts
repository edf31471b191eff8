import { Duration, Effect, type JsonSchema, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import type { Unavailable } from "../domain/Errors.ts"
import { textBetween } from "../domain/Text.ts"
import type { PassageJson } from "./Exchange.ts"

/** A piece of a document that a search found. `similarity` is 0–1. */
export interface Passage {
  readonly documentId: string
  readonly title: string
  /** Its place in the document, from 1. */
  readonly chunk: number
  /** From 1; null where the document has no pages. */
  readonly page: number | null
  readonly content: string
  readonly similarity?: number
}

/** Searches the knowledge base of the one chatbot that the model speaks for; best passages first. */
export type Search = (query: string) => Effect.Effect<ReadonlyArray<Passage>, Unavailable>

/** Longest query, in UTF-16 code units. */
export const queryMaxLength = 2_000

export interface ToolLimits {
  /** How long one call may take. */
  readonly callTimeout: Duration.Duration
  /** How many calls of one step run at once. */
  readonly concurrency: number
  /** How many calls of one step run at all. */
  readonly callsMax: number
  /** Most passages of one result. */
  readonly passagesMax: number
  /** Longest passage of a result, in UTF-16 code units. */
  readonly passageMaxLength: number
  /** Longest text of all passages of a result together, in UTF-16 code units. */
  readonly resultMaxLength: number
}

export const toolLimits: ToolLimits = {
  callTimeout: Duration.seconds(10),
  concurrency: 4,
  callsMax: 16,
  passagesMax: 10,
  passageMaxLength: 4_000,
  resultMaxLength: 16_000,
}

/** What goes back to the model; a failure has `{ error }`. */
export interface ToolOutcome {
  readonly result: Schema.Json
  readonly isFailure: boolean
}

export const failedOutcome = (error: string): ToolOutcome => ({ result: { error }, isFailure: true })

/** What a model is told of a tool. */
export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: JsonSchema.JsonSchema
}

/**
 * A tool that a model may call. `run` decodes the input strictly, as the model made it, keeps its result within the
 * limits and never fails: whatever goes wrong is told to the model, which may do better. The loop interrupts it when it
 * takes too long or when nobody waits for the answer any more.
 */
export interface AgentTool extends ToolDeclaration {
  /** How long one call may take, where that is another time than the limits say. */
  readonly timeout?: Duration.Duration | undefined
  readonly run: (input: unknown) => Effect.Effect<ToolOutcome>
}

/** What `searchKnowledgeBase` answers. */
export const Passages: Schema.Codec<ReadonlyArray<PassageJson>> = Schema.Array(
  Schema.Struct({
    title: Schema.String,
    chunk: Schema.Int,
    content: Schema.String,
    similarity: Schema.optionalKey(Schema.Finite),
    document_id: Schema.String,
  }),
)

const SearchInput = Schema.Struct({
  query: textBetween(1, queryMaxLength).annotate({
    description: "What to look for: a question or key words, in the language of the documents.",
  }),
})

export const searchKnowledgeBase: ToolDeclaration = {
  name: "searchKnowledgeBase",
  description:
    "Searches the documents of this chatbot's knowledge base and returns the passages that fit the query best. An empty list means that nothing was found.",
  // As strict as the decoding of a call is.
  inputSchema: { ...Tool.getJsonSchemaFromSchema(SearchInput), additionalProperties: false },
}

const decodeSearchInput = Schema.decodeUnknownEffect(SearchInput, { onExcessProperty: "error" })

/** The tool that searches what `search` does. */
export const searchTool = (search: Search, limits: ToolLimits): AgentTool => ({
  ...searchKnowledgeBase,
  run: (input) =>
    decodeSearchInput(input).pipe(
      Effect.flatMap(({ query }) => search(query)),
      Effect.map((passages): ToolOutcome => ({ result: passagesJson(passages, limits), isFailure: false })),
      Effect.catchTags({
        SchemaError: (error) => Effect.succeed(failedOutcome(`Invalid input: ${error.message}`)),
        Unavailable: () => Effect.succeed(failedOutcome("The knowledge base cannot be searched at the moment.")),
      }),
    ),
})

/** Runs one call of a model. */
export const runTool = (
  call: { readonly name: string; readonly params: unknown },
  tools: ReadonlyArray<AgentTool>,
  limits: ToolLimits,
): Effect.Effect<ToolOutcome> => {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(", ")
    return Effect.succeed(failedOutcome(`There is no tool ${call.name}. Available: ${names}.`))
  }
  return Effect.timeoutOrElse(tool.run(call.params), {
    duration: tool.timeout ?? limits.callTimeout,
    orElse: () => Effect.succeed(failedOutcome("The call took too long.")),
  })
}

/** The passages that fit the limits, best first; the last one that fits in part is cut. */
export const passagesJson = (passages: ReadonlyArray<Passage>, limits: ToolLimits): ReadonlyArray<PassageJson> => {
  const found: Array<PassageJson> = []
  let room = limits.resultMaxLength
  for (const passage of passages.slice(0, limits.passagesMax)) {
    if (room <= 0) break
    const content = cut(passage.content, Math.min(room, limits.passageMaxLength))
    room -= content.length
    found.push({
      title: passage.title,
      chunk: passage.chunk,
      content,
      ...(passage.similarity === undefined ? {} : { similarity: passage.similarity }),
      document_id: passage.documentId,
    })
  }
  return found
}

// Cutting a surrogate pair in two would leave text that has no UTF-8.
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")
