import type { Scope } from "./ApiKey.ts"
import { type Budget, type BudgetPatch, type Limits, limitsOf } from "../organizations/Budget.ts"
import { type Caller, isOperator, isWithin, lacks, refusal } from "../Caller.ts"
import { Forbidden } from "../Errors.ts"
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

/** Refuses what a new key would have beyond the caller who makes it; undefined if it would have nothing. */
export const excessRights = (maker: Caller["Service"], made: Rights): Forbidden | undefined => {
  const scopes = made.scopes.filter((scope) => !maker.scopes.includes(scope))
  if (scopes.length > 0) return lacks(maker, `what it would give: ${scopes.join(", ")}`)
  if (maker.chatbots !== null && (made.chatbotId === null || !isWithin(maker.chatbots, made.chatbotId))) {
    return refusal(maker, {
      key: "This API key is bound to a chatbot, and can only make keys that are bound to the same one.",
      person: "Your roles are for some chatbots, and can give nothing beyond these.",
    })
  }
  const outlives = maker.expiresAt !== null && (made.expiresAt === null || made.expiresAt > maker.expiresAt)
  return outlives
    ? new Forbidden({
        detail: `This API key expires at ${maker.expiresAt.toISOString()}; it cannot make one that outlives it.`,
      })
    : undefined
}

/**
 * Refuses a change of a key's budget that would raise a limit beyond that of the caller; undefined if it raises none.
 * Operators, who also set the budgets of organizations, may raise any.
 */
export const excessBudget = (
  changer: Caller["Service"],
  { before, patch }: { readonly before: Budget; readonly patch: BudgetPatch },
  defaults: Limits,
): Forbidden | undefined => {
  if (isOperator(changer)) return undefined
  const own = limitsOf(changer.budgets.key, defaults)
  const old = limitsOf(before, defaults)
  const wanted = limitsOf({ ...before, ...patch }, defaults)
  const isBeyond = (limit: keyof Limits) => wanted[limit] > own[limit] && wanted[limit] > old[limit]
  return isBeyond("tokensPerDay") || isBeyond("concurrentChats")
    ? refusal(changer, {
        key: "This API key cannot raise a budget beyond its own.",
        person: "Your role does not allow you to raise a budget beyond your own.",
      })
    : undefined
}
