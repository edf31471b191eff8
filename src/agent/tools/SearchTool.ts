import { Effect, Schema } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import type { Passage, PassageJson } from "../../domain/knowledge/Passage.ts"
import { SearchInput, searchKnowledgeBase } from "../../models/ToolDeclaration.ts"
import { cut } from "../../text/Cut.ts"
import { type AgentTool, failedOutcome, type ToolSizes, type ToolOutcome } from "./AgentTool.ts"

/** Searches the knowledge base of one chatbot. The best passages come first. */
export type Search = (query: string) => Effect.Effect<ReadonlyArray<Passage>, Unavailable>

const decodeSearchInput = Schema.decodeUnknownEffect(SearchInput, { onExcessProperty: "error" })

/** The tool by which a model searches the knowledge base of its chatbot. */
export const searchTool = (search: Search, limits: ToolSizes): AgentTool => ({
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

/** The first passages that fit into the limits. The last one is cut when only a part of it fits. */
export const passagesJson = (passages: ReadonlyArray<Passage>, limits: ToolSizes): ReadonlyArray<PassageJson> => {
  const found: Array<PassageJson> = []
  let room = limits.resultMaxLength
  for (const passage of passages.slice(0, limits.passagesMax)) {
    if (room <= 0) break
    const content = cut(passage.content, Math.min(room, limits.passageMaxLength))
    room -= content.length
    found.push(passageJson({ ...passage, content }))
  }
  return found
}

/** A passage as models see it. */
export const passageJson = ({
  chunk,
  content,
  documentId,
  isApproved,
  section,
  similarity,
  title,
}: Passage): PassageJson => ({
  title,
  chunk,
  ...(section === undefined ? {} : { section }),
  content,
  ...(similarity === undefined ? {} : { similarity }),
  ...(isApproved === true ? { approved: true } : {}),
  document_id: documentId,
})
