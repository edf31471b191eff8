import { Layer } from "effect"
import { Agent } from "../../src/agent/Agent.ts"
import type { AgentEvent, StepContent } from "../../src/agent/AgentEvent.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import type { ModelCost } from "../../src/domain/organizations/Usage.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { Models } from "../../src/models/Models.ts"

/** An organization that has connected no models. */
export const someOrganization = Layer.succeed(
  CurrentOrganization,
  OrganizationId.make("01a1f948-e63d-74f8-9014-79ea4912cce5"),
)

/** An agent that answers for an organization. */
export const agentLayer = (...settings: Parameters<typeof Agent.layer>) =>
  Layer.merge(Agent.layer(...settings), someOrganization)

/** The models of some settings, as an organization has them. */
export const modelsLayer = (...settings: Parameters<typeof Models.layer>) =>
  Layer.merge(Models.layer(...settings), someOrganization)

export type KeptStep = StepContent & Pick<ModelCost, "tokens">

/** Keeps the steps of a reply as they are made, or were cut off. */
export const keeping =
  (steps: Array<KeptStep>) =>
  (event: AgentEvent): undefined => {
    if (event.type === "step-made") steps.push({ ...event.step, tokens: event.cost.tokens })
  }
