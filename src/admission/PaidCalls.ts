import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller, COMMAND_LINE } from "../domain/Caller.ts"
import { type ApiKeyId, type ChatbotId, MessageId, type OrganizationId } from "../domain/Ids.ts"
import type { Budget } from "../domain/organizations/Budget.ts"
import { costsByModel, type ModelCost } from "../domain/organizations/Usage.ts"
import { Usage } from "../storage/usage/Usage.ts"
import { Budgets } from "./Budgets.ts"

/** The chatbot, the key and the budgets for which models are called in the background. */
export interface Payer {
  readonly organizationId: OrganizationId
  readonly chatbotId: ChatbotId
  /** Null for the server itself, or where the key was deleted, so that the organization's budget alone counts. */
  readonly apiKeyId: ApiKeyId | null
  readonly budgets: { readonly organization: Budget; readonly key: Budget | null }
}

/**
 * Makes the function that calls models within the budgets of a payer, and counts what they have used, also if they
 * fail. `texts` are those of the first call. A failure of the calls is part of what it returns, so that none is taken
 * for a refusal of the budgets.
 */
export const makePaidCalls = Effect.gen(function* () {
  const budgets = yield* Budgets
  const usage = yield* Usage
  const random = yield* SecureRandom.SecureRandom

  return <A, E, R>(
    { apiKeyId: key, budgets: { key: budget, organization }, chatbotId, organizationId }: Payer,
    texts: ReadonlyArray<string>,
    calls: (onCost: (cost: ModelCost) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
  ) => {
    const apiKeyId = key ?? COMMAND_LINE
    const costs: Array<ModelCost> = []
    const count = Effect.suspend(() =>
      costs.length === 0
        ? Effect.void
        : Effect.flatMap(random.uuidV7(), (id) =>
            usage.add(MessageId.make(id), { apiKeyId, chatbotId, costs: costsByModel(costs) }),
          ),
    )
    const counted = Effect.onExit(
      calls((cost) => Effect.sync(() => void costs.push(cost))),
      () => count,
    )
    return budgets
      .within(() => texts)(Effect.result(counted))
      .pipe(
        Effect.provideService(Caller, {
          apiKeyId,
          organizationId,
          scopes: [],
          chatbots: null,
          expiresAt: null,
          budgets: { organization, key: budget ?? { tokens_per_day: "unlimited", concurrent_chats: "unlimited" } },
        }),
        Effect.map((result) => ({ result, tokens: sumOf(costs) })),
      )
  }
})

const sumOf = (costs: ReadonlyArray<ModelCost>): number =>
  costs.reduce((sum, { tokens }) => Object.values(tokens).reduce((own, count) => own + count, sum), 0)
