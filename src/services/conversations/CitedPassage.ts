import { Schema } from "effect"
import type { Citation, ToolResult } from "../../domain/chat/Chat.ts"
import { Passages } from "../../domain/knowledge/Passage.ts"
import { searchKnowledgeBase } from "../../models/ToolDeclaration.ts"

const isPassages = Schema.is(Passages)

/** Finds the passage that a source quotes among what the tools of the reply have found; undefined where it is not. */
export const passageIn = (
  results: ReadonlyArray<ToolResult>,
  { chunk, document_id }: Pick<Citation, "chunk" | "document_id">,
): { readonly section: string | null; readonly content: string } | undefined => {
  for (const { result, toolName } of results) {
    if (toolName !== searchKnowledgeBase.name || !isPassages(result)) continue
    const passage = result.find((one) => one.document_id === document_id && one.chunk === chunk)
    if (passage !== undefined) return { section: passage.section ?? null, content: passage.content }
  }
  return undefined
}
