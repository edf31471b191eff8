import { Predicate } from "effect"
import type { ToolResult } from "../domain/chat/Chat.ts"
import { isUnanswered } from "../domain/chat/Unanswered.ts"
import { listDocuments, searchKnowledgeBase } from "../models/ToolDeclaration.ts"
import type { AgentReply } from "./Agent.ts"
import type { AgentEvent } from "./AgentEvent.ts"

/** Follows the searches for a reply, and judges whether it is an answer. */
export const makeReplyJudge = (isToolEnabled: boolean) => {
  let hasSearched = false
  let passages = 0
  return {
    fold: (event: AgentEvent) => {
      if (event.type !== "search" || event.isLookup === true) return
      hasSearched = true
      passages += event.found?.length ?? 0
    },
    isUnanswered: (reply: AgentReply): boolean =>
      isUnanswered({
        ...reply,
        searchedBy: hasSearched ? (isToolEnabled ? "model" : "server") : undefined,
        passages,
        sources: reply.sources.length,
        toolAnswers: toolAnswersIn(reply.toolResults),
      }),
  }
}

/** The number of results of HTTP tools that are no failures. */
const toolAnswersIn = (results: ReadonlyArray<ToolResult>): number =>
  results.filter(({ result, toolName }) => !isBuiltIn(toolName) && !(Predicate.isObject(result) && "error" in result))
    .length

const isBuiltIn = (tool: string): boolean => tool === searchKnowledgeBase.name || tool === listDocuments.name
