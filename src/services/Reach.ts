import { Effect } from "effect"
import { Caller, ensureServes, isOperator, type Reach } from "../domain/Caller.ts"
import { NotFound } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { Chatbots } from "../storage/chatbots/Chatbots.ts"
import { Organizations } from "../storage/organizations/Organizations.ts"

const noOrganization = new NotFound({ detail: "There is no such organization." })

/** The only organization that the caller reaches; undefined for an operator, who reaches all. */
export const reach = Caller.useSync((caller) => (isOperator(caller) ? undefined : caller.organizationId))

/** Makes the function that returns the organization of a request, or else the caller's; `NotFound` for one out of reach. */
export const organizationWithinReach = Effect.map(Organizations, ({ find }) =>
  Effect.fnUntraced(function* (requested: OrganizationId | undefined) {
    const caller = yield* Caller
    if (requested === undefined || requested === caller.organizationId) return caller.organizationId
    const found = isOperator(caller) ? yield* find(requested) : undefined
    return found === undefined ? yield* noOrganization : requested
  }),
)

/** Makes the function that returns the chatbots that are asked for, which have to be there, or else all within reach. */
export const chatbotsWithinReach = Effect.map(Chatbots, (chatbots) =>
  Effect.fnUntraced(function* (asked: Reach) {
    if (asked === null) return (yield* Caller).chatbots
    yield* Effect.forEach(asked, (id) => Effect.andThen(ensureServes(id), chatbots.get(id)), { discard: true })
    return asked
  }),
)
