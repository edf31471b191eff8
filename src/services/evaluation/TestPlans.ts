import { Context, Effect, Layer } from "effect"
import { Caller, ensureScope } from "../../domain/Caller.ts"
import type { TestPlan, TestPlanPatch } from "../../domain/evaluation/TestRun.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { extractiveModel } from "../../models/local/Extractive.ts"
import { Models } from "../../models/Models.ts"
import * as Storage from "../../storage/evaluation/TestPlans.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"

/** Manages how the tests of chatbots are run. */
export class TestPlans extends Context.Service<TestPlans>()("parley/services/evaluation/TestPlans", {
  make: Effect.gen(function* () {
    const storage = yield* Storage.TestPlans
    const models = yield* Models

    /** Fails where a plan names a model for the judge that the server does not have, or that cannot judge. */
    const ensureJudge = ({ judge_model: model = null }: TestPlanPatch) => {
      if (model === null) return Effect.void
      if (model === extractiveModel)
        return Effect.fail(InvalidRequest.at("judge_model", `${extractiveModel} cannot judge`))
      return Effect.mapError(models.check(model), ({ detail }) => InvalidRequest.at("judge_model", detail))
    }

    /** Fails where a plan has models answer, as a chat does, for a caller who may not chat. */
    const ensureAnswers = ({ schedule, schedule_tier }: TestPlan) =>
      schedule !== null && schedule_tier === "model" ? ensureScope("chat") : Effect.void

    return {
      get: storage.get,

      update: Effect.fn("TestPlans.update")(function* (
        chatbot: ChatbotId,
        change: Change<TestPlan, TestPlanPatch>,
        ifMatch: IfMatch,
      ) {
        const caller = yield* Caller
        const organization = yield* CurrentOrganization
        return yield* storage.modify(chatbot, (row) =>
          Effect.andThen(
            ensureMatch(row, ifMatch),
            change(row.plan).pipe(
              Effect.tap((patch) => Effect.provideService(ensureJudge(patch), CurrentOrganization, organization)),
              Effect.map((patch): TestPlan => ({ ...row.plan, ...patch })),
              Effect.tap((plan) => Effect.provideService(ensureAnswers(plan), Caller, caller)),
            ),
          ),
        )
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
