import type { Scope } from "./ApiKey.ts"
import { type Budget, type BudgetPatch, type Limits, limitsOf } from "../organizations/Budget.ts"
import { type Caller, isOperator, isWithin } from "../Caller.ts"
import type { ChatbotId } from "../Ids.ts"

/*
 * What one API key may give to another: nothing that it does not have itself. Otherwise a key that is stolen, or was
 * given to somebody else, could be exchanged for one that may do more, or that outlives it.
 */

/** The rights of a key that another key makes. */
export interface Rights {
  readonly scopes: ReadonlyArray<Scope>
  readonly chatbotId: ChatbotId | null
  /** Null for never. */
  readonly expiresAt: Date | null
}

/** Describes what a new key would have beyond the key that makes it; undefined if it would have nothing. */
export const excessRights = (maker: Caller["Service"], made: Rights): string | undefined => {
  const scopes = made.scopes.filter((scope) => !maker.scopes.includes(scope))
  if (scopes.length > 0) return `This API key lacks what it would give: ${scopes.join(", ")}.`
  if (maker.chatbots !== null && (made.chatbotId === null || !isWithin(maker.chatbots, made.chatbotId))) {
    return "This API key is bound to a chatbot, and can only make keys that are bound to the same one."
  }
  const outlives = maker.expiresAt !== null && (made.expiresAt === null || made.expiresAt > maker.expiresAt)
  return outlives
    ? `This API key expires at ${maker.expiresAt.toISOString()}; it cannot make one that outlives it.`
    : undefined
}

/**
 * Describes which limit a change of a key's budget would raise beyond that of the key which changes it; undefined if
 * none. Operators, who also set the budgets of organizations, may raise any.
 */
export const excessBudget = (
  changer: Caller["Service"],
  { before, patch }: { readonly before: Budget; readonly patch: BudgetPatch },
  defaults: Limits,
): string | undefined => {
  if (isOperator(changer)) return undefined
  const own = limitsOf(changer.budgets.key, defaults)
  const old = limitsOf(before, defaults)
  const wanted = limitsOf({ ...before, ...patch }, defaults)
  const isBeyond = (limit: keyof Limits) => wanted[limit] > own[limit] && wanted[limit] > old[limit]
  return isBeyond("tokensPerDay") || isBeyond("concurrentChats")
    ? "This API key cannot raise a budget beyond its own."
    : undefined
}
